"use strict";
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (tag, cls, text) => {
    const node = document.createElement(tag);
    if (cls) node.className = cls;
    if (text) node.textContent = text;
    return node;
  };

  // Sort a table by a column: numbers by their size, everything else by the alphabet.
  const number = (text) => Number.parseFloat(text.replace(/\u2212/g, "-").replace(/^x\s+/, ""));
  const key = (row, place) => row.cells[place].textContent.trim();
  const sort = (table, place, up) => {
    const body = table.tBodies[0], rows = [...body.rows];
    const numeric = rows.every((row) => key(row, place) === "\u2013" || !Number.isNaN(number(key(row, place))));
    const compare = (a, b) => numeric
      ? (number(key(a, place)) || 0) - (number(key(b, place)) || 0)
      : key(a, place).localeCompare(key(b, place), undefined, { numeric: true });
    rows.sort((a, b) => (up ? compare(a, b) : compare(b, a))).forEach((row) => body.append(row));
  };
  for (const table of all("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, place) => {
      const button = make("button", "sort", head.textContent);
      button.type = "button";
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        sort(table, place, up);
      });
    });
  }

  // Values of a picture: under the pointer, or one after the other by the arrow keys.
  for (const figure of all("figure[data-name]")) {
    const svg = figure.querySelector("svg"), table = figure.querySelector("table");
    const rows = [...table.tBodies[0].rows], heads = [...table.tHead.rows[0].cells];
    const names = heads.map((head) => head.textContent.trim());
    const told = rows.map((row) => [...row.cells].map((cell, k) => `${names[k]}: ${cell.textContent.trim()}`).join(" · "));
    const marks = rows.map((row) => Object.entries(row.dataset).flatMap(([series, place]) => {
      const group = document.getElementById(`${figure.dataset.name}-points-${series}`);
      const mark = group && group.querySelectorAll("use")[Number(place)];
      return mark ? [mark] : [];
    }));
    if (!marks.some((own) => own.length)) continue;
    const plot = svg.parentElement, readout = make("p", "readout");
    readout.setAttribute("aria-live", "polite");
    plot.after(readout);
    plot.tabIndex = 0;
    plot.setAttribute("role", "group");
    plot.setAttribute("aria-label", "Values: arrow keys, left and right");
    let here = -1;
    const show = (place) => {
      marks.flat().forEach((mark) => mark.classList.remove("lit"));
      rows.forEach((row) => row.classList.remove("lit"));
      here = place;
      if (place < 0) return;
      marks[place].forEach((mark) => mark.classList.add("lit"));
      rows[place].classList.add("lit");
      readout.textContent = told[place];
    };
    const distance = (mark, event) => {
      const box = mark.getBoundingClientRect();
      return Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY);
    };
    plot.addEventListener("pointermove", (event) => {
      let best = -1, least = 60;
      marks.forEach((own, place) => own.forEach((mark) => {
        const apart = distance(mark, event);
        if (apart < least) [best, least] = [place, apart];
      }));
      if (best >= 0 && best !== here) show(best);
    });
    plot.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (step) {
        event.preventDefault();
        show((here + step + marks.length) % marks.length);
      } else if (event.key === "Escape") show(-1);
    });
    rows.forEach((row, place) => row.addEventListener("pointerenter", () => show(place)));
  }

  // A part picked in the list lights up in its picture.
  for (const row of all("tr[data-zone]")) {
    const cell = row.cells[0], button = make("button", "pick", cell.textContent.trim());
    button.type = "button";
    button.setAttribute("aria-pressed", "false");
    cell.replaceChildren(button);
    const zones = () => all(`[id*="-zone-${row.dataset.zone}-"]`);
    const light = (on) => zones().forEach((zone) => zone.classList.toggle("lit", on));
    const picked = () => button.getAttribute("aria-pressed") === "true";
    button.addEventListener("pointerenter", () => light(true));
    button.addEventListener("pointerleave", () => light(picked()));
    button.addEventListener("focus", () => light(true));
    button.addEventListener("blur", () => light(picked()));
    button.addEventListener("click", () => {
      button.setAttribute("aria-pressed", String(!picked()));
      light(picked());
      const figure = picked() && zones().length ? zones()[0].closest("figure") : null;
      if (figure) figure.scrollIntoView({ block: "nearest" });
    });
  }
})();
