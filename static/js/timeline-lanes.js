// Lanes that are more than sixteen, or more than the window has room for, scroll inside the card: the rows above them and the
// x axis stay in sight, as live copies of the figure's own layers.
(() => {
  const NS = "http://www.w3.org/2000/svg";
  const ROWS = 16; // in sight, headings included
  const WHOLE_FROM = 5; // rows in sight: of fewer and higher ones the last may be cut
  const ROWS_OF_PHONE = 7; // at least: five lanes in two groups
  const phone = window.matchMedia("(max-width: 700px)"); // as in timeline.css
  const body = () => document.querySelector("[data-timeline-body]");
  let headPixels = 0;
  let rowPixels = 0; // of all rows; the axis is below them
  let axisPixels = 0;
  let lines = [];
  const LEAST = 340; // pixels of the body, as in timeline.css
  const BELOW = 8;

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
    lines = rows.filter(isLine);
    rowPixels = height(rows);
    headPixels = rowPixels - height(lines);
    axisPixels = element.layout.margin.b;
    refit(element);
    if (element.dataset.isCopied) return;
    element.dataset.isCopied = "yes";
    element.on("plotly_afterplot", () => refit(element)); // it may have made its layers anew
    window.addEventListener("resize", () => refit(element));
    body().addEventListener("scroll", () => {
      body().classList.toggle("is-scrolled", body().scrollTop > 0);
      countBelow();
    }, { passive: true });
  }

  function refit(element) {
    if (fit()) copyLayers(element);
  }

  // whether lanes scroll: the body ends with the window, as the page is when it has not been scrolled
  function fit() {
    const card = body().closest(".timeline-card");
    const top = body().getBoundingClientRect().top + window.scrollY;
    const least = phone.matches ? headPixels + height(lines.slice(0, ROWS_OF_PHONE)) + axisPixels : LEAST;
    const room = Math.max(least, window.innerHeight - top - BELOW) - headPixels - axisPixels;
    const fitting = lines.findLastIndex((_, number) => height(lines.slice(0, number + 1)) <= room) + 1; // whole ones
    const inSight = fitting < WHOLE_FROM ? Math.min(room, height(lines)) : height(lines.slice(0, Math.min(ROWS, fitting)));
    const seen = headPixels + inSight + axisPixels;
    const isLong = rowPixels + axisPixels > seen + 1;
    card.classList.toggle("is-long", isLong);
    if (isLong) {
      const measure = (name, pixels) => card.style.setProperty(`--${name}-pixels`, `${pixels}px`);
      measure("head", headPixels);
      measure("axis", axisPixels);
      measure("seen", seen);
      measure("figure", rowPixels + axisPixels);
      measure("scrollbar", body().offsetWidth - body().clientWidth);
    }
    countBelow();
    return isLong;
  }

  // says how many lanes are out of sight below
  function countBelow() {
    const names = body().querySelector("[data-timeline-names]");
    const end = body().getBoundingClientRect().bottom - axisPixels;
    const isLong = body().closest(".is-long");
    const below = isLong ? [...names.querySelectorAll(".is-lane")].filter((row) => row.getBoundingClientRect().top > end - rowHeight(row) / 2).length : 0;
    names.dataset.more = below ? `${below} more ${below === 1 ? "lane" : "lanes"} ${phone.matches ? "↓" : "below"}` : "";
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
