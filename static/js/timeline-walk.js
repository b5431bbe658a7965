// Walking the marks by keyboard, and the mark that is selected: its ring, its lane, its words.
(() => {
  const CHARACTER = 7; // pixels, about
  const RING = 24; // pixels of the ring and its margin
  window.timelineWalk = (element, { zoom, reset, page }) => {
    const isTime = element.dataset.axis === "time";
    const plot = document.querySelector("[data-timeline-plot]");
    const spoken = document.querySelector("[data-timeline-spoken]");
    let answer = null;
    let selected = null;

    const lanes = () => answer.rows.filter((row) => row.kind === "lane").map((row) => row.name);
    const inLane = (lane) => answer.points.filter((point) => point.lane === lane);
    const nearest = (points, x) => points.reduce((best, one) => (!best || Math.abs(one.x - x) < Math.abs(best.x - x) ? one : best), null);

    function laneShape(y) {
      const colour = element.layout.meta.selected;
      return { type: "rect", xref: "paper", x0: 0, x1: 1, y0: y - 0.5, y1: y + 0.5, layer: "below", line: { width: 0 }, fillcolor: colour, name: "selected" };
    }

    const onAxis = (x) => x + (isTime ? answer.shiftMs : 0);
    const pixel = (x) => element._fullLayout.xaxis.d2p(onAxis(x)); // a folded axis is not even

    // both ends of the numbers beside piles and rings of the lane
    function numbersOf(lane) {
      const notes = (element.layout.annotations ?? []).filter((note) => /^(pile |findings$)/.test(note.name) && note.y === answer.yOfLane[lane]);
      return notes.flatMap(({ x, xshift, xanchor, text }) => {
        const [at, width] = [element._fullLayout.xaxis.d2p(x) + (xshift ?? 0), text.length * CHARACTER];
        const start = at - width * { left: 0, center: 0.5, right: 1 }[xanchor];
        return [start, start + width];
      });
    }

    // the words of the selected mark, and whether they are to its left; none where they would cover other marks
    function wordsBeside(words) {
      const axis = element._fullLayout.xaxis;
      if (selected.isBinned || selected.bin) return ["", false];
      const [here, room] = [pixel(selected.x), words.length * CHARACTER + RING];
      const others = inLane(selected.lane).map((one) => pixel(one.x)).filter((one) => Math.abs(one - here) >= 1).concat(numbersOf(selected.lane));
      const isFree = (low, high) => low >= 0 && high <= axis._length && !others.some((one) => one > low && one < high);
      const sides = [isFree(here, here + room) && [words, false], isFree(here - room, here) && [words, true]];
      return sides.find(Boolean) || ["", false];
    }

    // words without room beside their mark stand below it, on the axis
    function wordsBelow(words) {
      const here = pixel(selected.x);
      const isAtEnd = [here < words.length * CHARACTER / 2, here > element._fullLayout.xaxis._length - words.length * CHARACTER / 2];
      return { name: "selected", x: onAxis(selected.x), xanchor: isAtEnd[0] ? "left" : isAtEnd[1] ? "right" : "center", yref: "paper", y: 0, yanchor: "top", yshift: -3, text: words, showarrow: false, bgcolor: element.layout.meta.selected, borderpad: 2, font: { size: 12 } };
    }

    function mark() {
      const number = element.data.findIndex((trace) => trace.meta === "selected");
      if (number < 0) return;
      const shapes = (element.layout.shapes ?? []).filter((shape) => shape.name !== "selected");
      const y = selected && answer.yOfLane[selected.lane];
      const isShown = y !== undefined && y !== null;
      if (isShown) shapes.unshift(laneShape(y));
      const all = isShown && selected.offset !== undefined ? `${selected.offset} selected` : "";
      const [words, isRight] = all ? wordsBeside(all) : ["", false];
      const annotations = (element.layout.annotations ?? []).filter((note) => note.name !== "selected");
      if (all && !words) annotations.push(wordsBelow(all));
      window.Plotly.update(
        element,
        { x: [isShown ? [onAxis(selected.x)] : []], y: [isShown ? [y] : []], text: [[isRight ? `${words}   ` : `   ${words}`]], textposition: [isRight ? "middle left" : "middle right"] },
        { shapes, annotations, "xaxis.type": isTime ? "date" : "linear", "xaxis.range": [...element.layout.xaxis.range] }, // or Plotly guesses both again
        [number],
      );
      for (const row of document.querySelectorAll("[data-timeline-names] [data-lane]")) {
        const isHere = isShown && row.dataset.lane === selected.lane;
        row.classList.toggle("is-selected", isHere);
        if (isHere) window.timelineLanes.bring(row);
      }
    }

    function select(point) {
      if (!point) return;
      selected = point;
      spoken.textContent = [point.words, point.lane, point.finding ? `${point.finding} finding` : ""].filter(Boolean).join(", ");
      mark();
    }

    // a record that is drawn in a bar: of the lane, or of the only bar that can hold it
    function inBin(offset, lane) {
      if (isTime) return null;
      const bins = (answer?.points ?? []).filter((one) => one.bin && (!lane || one.lane === lane) && one.bin[0] <= offset && offset <= one.bin[1]);
      return bins.length === 1 ? { offset, x: offset, lane: bins[0].lane, words: `offset ${offset}`, isBinned: true } : null;
    }

    function step(by) {
      const points = inLane(selected?.lane ?? lanes().find((lane) => inLane(lane).length));
      const here = points.indexOf(selected?.isBinned ? nearest(points, selected.x) : selected);
      select(points[Math.min(points.length - 1, Math.max(0, here < 0 ? 0 : here + by))]);
    }

    function changeLane(by) {
      const filled = lanes().filter((lane) => inLane(lane).length);
      const here = filled.indexOf(selected?.lane);
      const lane = filled[Math.min(filled.length - 1, Math.max(0, here < 0 ? 0 : here + by))];
      select(nearest(inLane(lane), selected?.x ?? answer.window[0]));
    }

    function jump(what, by, whose = "") {
      const events = answer.events.filter((event) => event.what === what);
      const x = selected?.x ?? (by > 0 ? -Infinity : Infinity);
      const event = by > 0 ? events.find((one) => one.x > x) : events.findLast((one) => one.x < x);
      if (!event) { spoken.textContent = `No ${by > 0 ? "later" : "earlier"} ${what}${whose} in this window.`; return; }
      const point = answer.points.find((one) => one.offset !== undefined && one.offset === event.offset && (!event.lane || one.lane === event.lane)) ?? nearest(answer.points, event.x);
      select({ ...point, x: event.x, words: event.words });
    }

    function zoomBy(factor) {
      const [low, high] = answer.window;
      const middle = selected?.x ?? (low + high) / 2;
      zoom(Math.max(answer.whole[0], middle - (middle - low) * factor), Math.min(answer.whole[1], middle + (high - middle) * factor));
    }

    function enter() {
      if (selected?.bin) zoom(...selected.bin);
      else if (selected?.url || selected?.offset !== undefined) page.open(selected, plot);
    }

    const keys = {
      ArrowLeft: () => step(-1), ArrowRight: () => step(1), ArrowUp: () => changeLane(-1), ArrowDown: () => changeLane(1),
      Home: () => select(inLane(selected?.lane)[0]), End: () => select(inLane(selected?.lane).at(-1)),
      Enter: enter, "[": () => zoomBy(2), "]": () => zoomBy(0.5), 0: reset,
      f: () => jump("finding", 1), F: () => jump("finding", -1), r: () => jump("restart", 1), R: () => jump("restart", -1),
      g: () => jump("gap", 1), G: () => jump("gap", -1), c: () => jump("clock step", 1, " of records"), C: () => jump("clock step", -1, " of records"),
    };

    function pan(by) {
      const half = ((answer.window[1] - answer.window[0]) / 2) * by;
      zoom(answer.window[0] + half, answer.window[1] + half);
    }

    plot.addEventListener("keydown", (event) => {
      if (!answer || event.ctrlKey || event.metaKey || event.altKey || event.target !== plot) return;
      const isPan = event.shiftKey && (event.key === "ArrowLeft" || event.key === "ArrowRight");
      const act = isPan ? () => pan(event.key === "ArrowLeft" ? -1 : 1) : keys[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    });

    return {
      shown(next) {
        answer = next;
        const again = selected && answer.points.find((point) => point.offset !== undefined && point.offset === selected.offset && point.lane === selected.lane);
        selected = again ?? null;
        if (selected) mark();
      },
      selectOffset(offset, lane) {
        const fits = (one) => one && one.offset === Number(offset) && (!lane || one.lane === lane);
        const point = answer?.points.find(fits) ?? [answer?.record, inBin(Number(offset), lane)].find(fits);
        if (point) select(point);
      },
      walkLane(lane) {
        const points = inLane(lane);
        plot.focus({ preventScroll: true });
        select(points[0]);
      },
      clear() { selected = null; mark(); },
    };
  };
})();
