from __future__ import annotations

import pytest

from tests.hooks import stage


@pytest.fixture(scope="session", autouse=True)
def _patient_hooks(tmp_path_factory):
    stage.make_patient(tmp_path_factory.mktemp("patient"))
