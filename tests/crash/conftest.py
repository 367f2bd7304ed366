from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import pg


@pytest.fixture(scope="module")
def server() -> Iterator[pg.Server]:
    install = pg.binaries()
    if install is None:
        pytest.skip(pg.NO_SERVER)
    with pg.server(install) as running:
        yield running
