"""The resident process: holds the model and the store, answers hooks at once, archives behind them."""
