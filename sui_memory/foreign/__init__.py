"""Other memories than ours: what their files hold, as exchanges and kept memories."""
