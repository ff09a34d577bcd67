"""Charts whose numbers are damaged keep what can be read of them."""

from __future__ import annotations

import pytest
from lxml import etree

from parsers.common.drawingml import chart_of

CHART = """<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart><c:plotArea><c:barChart><c:ser>
<c:tx><c:v>불량</c:v></c:tx>
<c:cat><c:strCache><c:pt idx="0"><c:v>1월</c:v></c:pt><c:pt idx="{index}"><c:v>2월</c:v></c:pt></c:strCache></c:cat>
<c:val><c:numCache><c:pt idx="0"><c:v>3</c:v></c:pt><c:pt idx="{index}"><c:v>5</c:v></c:pt></c:numCache></c:val>
</c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"""


@pytest.mark.parametrize("index", ["1", "", "\u00b2", "-1", "1.5", "x"])
def test_a_point_without_a_readable_number_comes_after_the_last(index):
    _, table = chart_of(etree.fromstring(CHART.format(index=index)))
    assert {"1월", "2월", "3", "5"} <= {cell.text for cell in table.cells}
