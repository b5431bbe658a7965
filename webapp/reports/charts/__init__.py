"""Charts: rows in, `plotly.graph_objects` figures out. Nothing of Plotly's own template: the look is ours."""

import plotly.io as pio

pio.templates.default = None
