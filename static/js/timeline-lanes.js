// More than sixteen lanes scroll inside the card: the rows above them and the x axis stay in sight, as live copies of
// the figure's own layers.
(() => {
  const NS = "http://www.w3.org/2000/svg";
  const ROWS = 16; // in sight, headings included
  const body = () => document.querySelector("[data-timeline-body]");
  let headPixels = 0;
  let rowPixels = 0; // of all rows; the axis is below them
  let axisPixels = 0;

  const isLine = (row) => row.kind === "lane" || row.kind === "heading";
  const height = (rows) => rows.reduce((pixels, row) => pixels + row.heightPixels, 0);

  // the layers of the figure, from so many pixels below its upper edge
  function copy(svg, layers, from) {
    const uses = layers.filter(Boolean).map((layer) => {
      layer.id ||= `timeline-${layer.getAttribute("class").replaceAll(" ", "-")}`;
      const use = document.createElementNS(NS, "use");
      use.setAttribute("href", `#${layer.id}`);
      use.setAttribute("y", -from);
      return use;
    });
    svg.replaceChildren(...uses);
  }

  function copyLayers(element) {
    const layer = (selector) => element.querySelector(selector);
    const words = layer(".infolayer");
    copy(body().querySelector("[data-timeline-head]"), [".xy2", ".xy3", ".xy4"].map((name) => layer(`.subplot${name}`)).concat(words), 0);
    copy(body().querySelector("[data-timeline-axis]"), [layer(".subplot.xy > .xaxislayer-above"), words], rowPixels);
  }

  function shown(element, rows) {
    const lines = rows.filter(isLine);
    rowPixels = height(rows);
    headPixels = rowPixels - height(lines);
    axisPixels = element.layout.margin.b;
    const card = body().closest(".timeline-card");
    card.classList.toggle("is-long", lines.length > ROWS);
    if (lines.length <= ROWS) {
      countBelow();
      return;
    }
    const measure = (name, pixels) => card.style.setProperty(`--${name}-pixels`, `${pixels}px`);
    measure("head", headPixels);
    measure("axis", axisPixels);
    measure("seen", headPixels + height(lines.slice(0, ROWS)) + axisPixels);
    measure("scrollbar", body().offsetWidth - body().clientWidth);
    countBelow();
    copyLayers(element);
    if (element.dataset.isCopied) return;
    element.dataset.isCopied = "yes";
    element.on("plotly_afterplot", () => copyLayers(element)); // it may have made them anew
    body().addEventListener("scroll", () => {
      body().classList.toggle("is-scrolled", body().scrollTop > 0);
      countBelow();
    }, { passive: true });
  }

  // says how many lanes are out of sight below
  function countBelow() {
    const names = body().querySelector("[data-timeline-names]");
    const end = body().getBoundingClientRect().bottom - axisPixels;
    const isLong = body().closest(".is-long");
    const below = isLong ? [...names.querySelectorAll(".is-lane")].filter((row) => row.getBoundingClientRect().top > end - rowHeight(row) / 2).length : 0;
    names.dataset.more = below ? `${below} more ${below === 1 ? "lane" : "lanes"} below` : "";
  }

  const rowHeight = (row) => row.getBoundingClientRect().height;

  // a lane that was selected from the keyboard, not below the copies
  function bring(row) {
    if (!row || !body().closest(".is-long")) return;
    const [lane, seen] = [row.getBoundingClientRect(), body().getBoundingClientRect()];
    const above = seen.top + headPixels - lane.top;
    const below = lane.bottom - (seen.bottom - axisPixels);
    if (above > 0) body().scrollTop -= above;
    else if (below > 0) body().scrollTop += below;
  }

  window.timelineLanes = { shown, bring };
})();
