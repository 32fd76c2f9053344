'use strict';
// Draws the page from the facts: buffers are
// [name, kind, offset, size, first step, last step], steps
// [op, module, phase, action, arithmetic, bytes, location]; names are numbers
// of facts.names.
(() => {
  const facts = JSON.parse(document.getElementById('facts').textContent);
  const page = document.getElementById('page');
  const tip = document.getElementById('tip');
  const kindColors = ['#4e79a7', '#8fb8de', '#6aada8', '#b3aca7', '#9c755f',
    '#d4a6c8', '#f2a03d', '#62a857', '#df5b5d', '#c2ad4a', '#a57bab'];
  // Fixed storage lies at the bottom, what passes quickly on top.
  const stackOrder = [0, 1, 2, 3, 4, 6, 8, 7, 10, 5, 9];
  const phaseColors = ['#c9d6e8', '#cfe5cb', '#f3c4c4', '#dccbe0'];
  const state = { entry: 0, from: 0, to: 0, fixed: true, fine: false };
  let data; // of the chosen entry

  // ---- text ----
  const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  const text = s => String(s).replace(/[&<>"]/g, c => escapes[c]);
  const name = number => facts.names[number];
  function size(bytes) {
    if (bytes < 1024) return bytes + ' B';
    const units = ['KiB', 'MiB', 'GiB', 'TiB'];
    let value = bytes / 1024, unit = 0;
    while (value >= 1023.95 && unit < 3) { value /= 1024; ++unit; }
    return value.toFixed(1) + ' ' + units[unit];
  }
  function count(value, unit) {
    const prefixes = ['', 'k', 'M', 'G', 'T', 'P'];
    let prefix = 0;
    while (value >= 999.5 && prefix < 5) { value /= 1000; ++prefix; }
    const digits = prefix === 0 ? 0 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    return value.toFixed(digits) + ' ' + prefixes[prefix] + unit;
  }
  const integer = value => value.toLocaleString('en-US');
  const percent = share => (100 * share).toFixed(1) + '%';

  // ---- facts of an entry ----
  /// Sums of live bytes, by step and kind.
  function stackOf(entry) {
    const steps = entry.steps.length;
    const live = Array.from({ length: steps }, () => new Float64Array(11));
    for (const [, kind, , bytes, first, last] of entry.buffers)
      for (let s = first; s <= last && s < steps; ++s) live[s][kind] += bytes;
    for (const [, kind, , bytes] of facts.buffers)
      for (const row of live) row[kind] += bytes;
    return live;
  }
  function choose(number) {
    const entry = facts.entries[number];
    state.entry = number;
    state.from = 0;
    state.to = entry.steps.length;
    data = { entry, live: stackOf(entry) };
    render();
  }
  const kindsIn = live => stackOrder.filter(k => live.some(row => row[k] > 0));

  // ---- drawing ----
  const width = 1200, left = 78, right = 14, bottom = 50;
  const plotWidth = width - left - right;
  const xOf = step =>
    left + (step - state.from) / Math.max(1, state.to - state.from) * plotWidth;
  const stepAt = x => Math.floor(
    state.from + (x - left) / plotWidth * (state.to - state.from));

  /// About `wanted` round numbers up to `end`, in units of `unit`.
  function ticks(begin, end, wanted, unit) {
    const raw = (end - begin) / unit / wanted;
    const power = Math.pow(10, Math.floor(Math.log10(Math.max(raw, 1e-9))));
    const step = [1, 2, 5, 10].find(m => m * power >= raw) * power * unit;
    const found = [];
    for (let v = Math.ceil(begin / step) * step; v <= end; v += step)
      found.push(v);
    return found;
  }
  function byteUnit(bytes) {
    const units = [[1 << 30, 'GiB'], [1 << 20, 'MiB'], [1 << 10, 'KiB'],
      [1, 'bytes']];
    return units.find(([b]) => bytes >= 2 * b) || units[3];
  }
  function axes(low, high, height, title) {
    const [unit, unitName] = byteUnit(high);
    const yOf = v => 12 + (1 - (v - low) / (high - low)) * (height - 12 - bottom);
    let svg = '';
    for (const v of ticks(low, high, 7, unit)) {
      const label = +(v / unit).toFixed(3);
      svg += `<line class="grid" x1="${left}" x2="${width - right}"` +
        ` y1="${yOf(v)}" y2="${yOf(v)}"/><text x="${left - 8}"` +
        ` y="${yOf(v) + 4}" text-anchor="end">${integer(label)}</text>`;
    }
    svg += `<text transform="translate(16 ${(height - bottom) / 2 + 6})` +
      ` rotate(-90)" text-anchor="middle">${title} (${unitName})</text>`;
    return { svg, yOf };
  }
  function timeAxis(height) {
    const y = height - bottom;
    let svg = `<line class="axis" x1="${left}" x2="${width - right}"` +
      ` y1="${y}" y2="${y}"/>`;
    const steps = data.entry.steps;
    // The strip of phases, in runs.
    for (let s = state.from; s < state.to;) {
      let end = s;
      while (end < state.to && steps[end][2] === steps[s][2]) ++end;
      svg += `<rect x="${xOf(s)}" y="${y + 3}" height="8"` +
        ` width="${xOf(end) - xOf(s)}" fill="${phaseColors[steps[s][2]]}"/>`;
      s = end;
    }
    for (const v of ticks(state.from, state.to, 12, 1))
      if (Number.isInteger(v))
        svg += `<text x="${xOf(v)}" y="${y + 26}"` +
          ` text-anchor="middle">${integer(v)}</text>`;
    return svg + `<text x="${left + plotWidth / 2}" y="${height - 6}"` +
      ' text-anchor="middle">step of the program</text>';
  }
  const frame = (id, height, content) =>
    `<svg id="${id}" viewBox="0 0 ${width} ${height}"><defs>` +
    `<clipPath id="${id}-clip"><rect x="${left}" y="0" width="${plotWidth}"` +
    ` height="${height}"/></clipPath></defs>${content}</svg>`;
  const clipped = (id, content) =>
    `<g clip-path="url(#${id}-clip)">${content}</g>`;

  function level(yOf, bytes, label, anchor) {
    const y = yOf(bytes), end = anchor === 'end';
    return `<line x1="${left}" x2="${width - right}" y1="${y}" y2="${y}"` +
      ' stroke="#1c2330" stroke-dasharray="6 4" stroke-width="1.2"/>' +
      `<text x="${end ? width - right - 6 : left + 6}" y="${y - 5}"` +
      ` text-anchor="${anchor}" style="fill:#1c2330">${label}</text>`;
  }
  function memoryChart() {
    const height = 400, { entry, live } = data;
    const high = Math.max(entry.peak, entry.maxLive, 1) * 1.06;
    const { svg, yOf } = axes(0, high, height, 'memory');
    const base = new Float64Array(live.length);
    let areas = '';
    for (const kind of kindsIn(live)) {
      let up = '', down = '';
      for (let s = state.from; s < state.to; ++s) {
        const low = yOf(base[s]), top = yOf(base[s] += live[s][kind]);
        up += `L${xOf(s).toFixed(1)} ${top.toFixed(1)}` +
          `H${xOf(s + 1).toFixed(1)}`;
        down = `L${xOf(s + 1).toFixed(1)} ${low.toFixed(1)}` +
          `H${xOf(s).toFixed(1)}` + down;
      }
      if (up)
        areas += `<path fill="${kindColors[kind]}" d="M${up.slice(1)}` +
          `${down}Z"/>`;
    }
    const x = xOf(entry.endOfForward + 1);
    const mark = entry.endOfForward < 0 || x < left || x > width - right ? '' :
      `<line x1="${x}" x2="${x}" y1="12" y2="${height - bottom}"` +
      ' stroke="#1c2330" stroke-width="1"/>' +
      `<text x="${x + 5}" y="24" style="fill:#1c2330">end of the forward` +
      ' pass</text>';
    return frame('memory', height, svg + clipped('memory', areas) + mark +
      level(yOf, entry.peak, 'peak ' + size(entry.peak), 'start') +
      timeAxis(height));
  }
  function bufferRect(buffer, number, yOf, wholeStep) {
    const [, kind, offset, bytes, first, last] = buffer;
    const begin = wholeStep ? state.from : first;
    const end = wholeStep ? state.to : last + 1;
    if (end <= state.from || begin >= state.to) return '';
    const y = yOf(offset + bytes), high = yOf(offset) - y;
    const wide = xOf(end) - xOf(begin);
    // An outline would cover what is thin.
    const thin = high < 3 || wide < 3 ? ' thin' : '';
    return `<rect class="buffer${thin}" data-n="${number}"` +
      ` x="${xOf(begin).toFixed(2)}" y="${y.toFixed(2)}"` +
      ` width="${Math.max(0.4, wide).toFixed(2)}"` +
      ` height="${Math.max(0.4, high).toFixed(2)}"` +
      ` fill="${kindColors[kind]}"/>`;
  }
  function placementChart() {
    const height = 520, { entry } = data;
    const low = state.fixed ? 0 : facts.fixed;
    const high = low + Math.max(entry.peak - low, 1) * 1.04;
    const { svg, yOf } = axes(low, high, height, 'address');
    let rects = '';
    if (state.fixed)
      facts.buffers.forEach((b, i) => {
        rects += bufferRect(b, -1 - i, yOf, true);
      });
    entry.buffers.forEach((b, i) => { rects += bufferRect(b, i, yOf, false); });
    return frame('placement', height,
      svg + clipped('placement', rects) + timeAxis(height));
  }

  // ---- tables ----
  const bar = (value, most, color) => '<span class="bar" style="width:' +
    `${(80 * value / Math.max(1, most)).toFixed(1)}px;background:${color}">` +
    '</span>';
  function moduleTable() {
    const rows = state.fine ? data.entry.fine : data.entry.coarse;
    const most = key => Math.max(...rows.map(row => row[key]), 1);
    const keptMost = most('kept'), peakMost = most('peak');
    const cell = (value, shown) => `<td data-v="${value}">${shown}</td>`;
    const flops = value => cell(value, value ? count(value, 'FLOP') : '–');
    const bytes = (value, all, color) => cell(value,
      value ? bar(value, all, color) + size(value) : '–');
    return '<table><thead><tr><th>module</th><th>steps</th><th>forward</th>' +
      '<th>backward</th><th>recomputed</th><th>memory traffic</th>' +
      '<th>kept</th><th>live at the peak</th></tr></thead><tbody>' +
      rows.map(row => `<tr><td data-v="${text(row.module)}">` +
        `${text(row.module || '(no module)')}</td>` +
        cell(row.steps, row.steps) + flops(row.forward) + flops(row.backward) +
        flops(row.recompute) + cell(row.traffic, size(row.traffic)) +
        bytes(row.kept, keptMost, kindColors[6]) +
        bytes(row.peak, peakMost, '#7b8698') + '</tr>').join('') +
      '</tbody></table>';
  }
  function peakTable() {
    const { entry } = data;
    const live = entry.buffers
      .filter(b => b[4] <= entry.peakStep && entry.peakStep <= b[5])
      .sort((a, b) => b[3] - a[3] || a[2] - b[2]).slice(0, 20);
    const most = live.length ? live[0][3] : 1;
    return '<table><thead><tr><th>buffer</th><th class="left">kind</th>' +
      '<th class="left">made by</th><th>bytes</th><th>size</th>' +
      '<th>from step</th><th>to step</th></tr></thead><tbody>' +
      live.map(([n, kind, , bytes, first, last]) => {
        const step = entry.steps[first];
        const maker = kind === 4 ? '' : name(step[0]) +
          (step[1] === undefined || !name(step[1]) ? '' : ' in ' + name(step[1]));
        return `<tr><td>${text(name(n))}</td><td class="left">` +
          `${facts.kinds[kind]}</td><td class="left">${text(maker)}</td>` +
          `<td data-v="${bytes}">${integer(bytes)}</td><td data-v="${bytes}">` +
          `${bar(bytes, most, kindColors[kind])}${size(bytes)}</td>` +
          `<td>${first}</td><td>${last}</td></tr>`;
      }).join('') + '</tbody></table>';
  }
  function sortTable(head) {
    const body = head.closest('table').tBodies[0];
    const column = head.cellIndex, up = head.classList.contains('sorted') &&
      !head.classList.contains('up');
    const value = row => row.cells[column].dataset.v ??
      row.cells[column].textContent;
    const compare = (a, b) => {
      const x = value(a), y = value(b);
      const order = x !== '' && y !== '' && !isNaN(x) && !isNaN(y) ? x - y :
        String(x).localeCompare(String(y));
      return up ? order : -order;
    };
    for (const other of head.parentNode.cells)
      other.classList.remove('sorted', 'up');
    head.classList.add('sorted');
    head.classList.toggle('up', up);
    body.append(...[...body.rows].sort(compare));
  }

  // ---- page ----
  function numbers() {
    const { entry } = data;
    const share = entry.baseFlops ? entry.recomputedFlops / entry.baseFlops : 0;
    const above = entry.maxLive - facts.fixed;
    const ratio = above ? (entry.peak - facts.fixed) / above : 1;
    const fact = (value, label) =>
      `<div class="number"><b>${value}</b><span>${label}</span></div>`;
    return '<section class="numbers">' +
      fact(size(entry.peak), `peak, ${integer(entry.peak)} bytes`) +
      fact(size(facts.fixed), 'fixed: variables and constants') +
      fact(size(entry.kept), 'kept after the forward pass') +
      fact(percent(share), 'of the arithmetic computed again, ' +
        count(entry.recomputedFlops, 'FLOP')) +
      fact(ratio.toFixed(4), 'placed bytes over the most live bytes') +
      fact(integer(entry.steps.length), 'steps on ' + facts.threads +
        (facts.threads === 1 ? ' thread' : ' threads')) + '</section>';
  }
  function legend(step) {
    const row = data.live[step] || new Float64Array(11);
    return '<div class="legend">' + kindsIn(data.live).reverse().map(kind =>
      `<span><i style="background:${kindColors[kind]}"></i>` +
      `${facts.kinds[kind]} <em>${size(row[kind])}</em></span>`).join('') +
      '</div>';
  }
  const phaseLegend = () => '<div class="legend">' +
    [0, 2, 1, 3].filter(p => data.entry.steps.some(s => s[2] === p)).map(p =>
      `<span><i style="background:${phaseColors[p]}"></i>` +
      `${facts.phases[p]}</span>`).join('') + '</div>';
  const button = (action, label, on) =>
    `<button data-do="${action}" class="${on ? 'on' : ''}">${label}</button>`;

  function render() {
    const { entry } = data;
    const whole = state.from === 0 && state.to === entry.steps.length;
    const reset = whole ? '' : button('reset', 'show all steps', false);
    const about = [facts.checkpointing &&
      'checkpointing ' + facts.checkpointing, facts.library, facts.target]
      .filter(Boolean).map(text).join(' · ');
    page.innerHTML = `<header><div><h1>${text(facts.model)}</h1>` +
      `<p class="about">${about}</p></div><div class="choice">` +
      facts.entries.map((e, i) => button('entry-' + i, text(e.name),
        i === state.entry)).join('') + '</div></header>' + numbers() +
      `<section class="card"><div class="tools">${reset}</div>` +
      '<h2>Memory over the step</h2><p class="note">Live bytes by kind; the ' +
      `legend tells them at the peak, step ${entry.peakStep}. Drag to look ` +
      'closer.</p>' + legend(entry.peakStep) + memoryChart() + phaseLegend() +
      `</section><section class="card"><div class="tools">${reset}` +
      button('fixed', 'fixed storage', state.fixed) + '</div>' +
      '<h2>Placement</h2><p class="note">Every buffer from its first to its ' +
      'last step at its address in the arena; its name is under the mouse.' +
      '</p>' + placementChart() + '</section>' +
      '<section class="card"><div class="tools">' +
      button('fine', 'whole paths', state.fine) + '</div><h2>By module</h2>' +
      '<p class="note">A buffer belongs to the module that writes it first.' +
      '</p>' + moduleTable() + '</section><section class="card">' +
      '<h2>Largest buffers at the peak</h2><p class="note">Without fixed ' +
      `storage, live at step ${entry.peakStep}.</p>` + peakTable() +
      '</section>';
  }

  // ---- mouse ----
  function showTip(event, html) {
    tip.innerHTML = html;
    tip.hidden = false;
    const x = Math.min(event.clientX + 16, innerWidth - tip.offsetWidth - 8);
    const y = Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 8);
    tip.style.left = Math.max(4, x) + 'px';
    tip.style.top = Math.max(4, y) + 'px';
  }
  function stepText(step) {
    const [op, module, phase, , flops, bytes, location] =
      data.entry.steps[step];
    return `<b>step ${step}: ${text(name(op))}` +
      `${name(module) ? ' in ' + text(name(module)) : ''}</b>` +
      `${facts.phases[phase]}, ${count(flops, 'FLOP')}, ${size(bytes)} moved` +
      (name(location) ? '<br>' + text(name(location)) : '');
  }
  function memoryTip(step) {
    const row = data.live[step];
    let sum = 0, lines = '';
    for (const kind of kindsIn(data.live).reverse()) {
      sum += row[kind];
      if (row[kind])
        lines += `<tr><td><i style="background:${kindColors[kind]}"></i>` +
          `${facts.kinds[kind]}</td><td>${size(row[kind])}</td></tr>`;
    }
    return stepText(step) + `<table>${lines}<tr><td>all</td><td>` +
      `${size(sum)}</td></tr></table>`;
  }
  function bufferTip(number) {
    const isFixed = number < 0;
    const [n, kind, offset, bytes, first, last] =
      isFixed ? facts.buffers[-1 - number] : data.entry.buffers[number];
    return `<b>${text(name(n))}</b>${facts.kinds[kind]}, ${size(bytes)} ` +
      `(${integer(bytes)} bytes)<br>addresses ${integer(offset)} to ` +
      `${integer(offset + bytes - 1)}<br>` +
      (isFixed ? 'lives for ever' : `steps ${first} to ${last}<br>made by ` +
        stepText(first).replace(/<\/?b>/g, ''));
  }
  /// The x of an event in a chart's own units.
  function chartX(svg, event) {
    const box = svg.getBoundingClientRect();
    return (event.clientX - box.left) / box.width * width;
  }
  function clampStep(x) {
    return Math.min(state.to - 1, Math.max(state.from, stepAt(x)));
  }
  let dragFrom = null, dragSvg = null;
  function mark(svg, tag, attributes) {
    let element = svg.querySelector('.' + attributes.class);
    if (!element) {
      element = document.createElementNS('http://www.w3.org/2000/svg', tag);
      svg.append(element);
    }
    for (const key in attributes) element.setAttribute(key, attributes[key]);
  }
  function unmark() {
    document.querySelectorAll('.cross, .select').forEach(e => e.remove());
    document.querySelectorAll('.buffer.on').forEach(
      e => e.classList.remove('on'));
  }
  document.addEventListener('mousemove', event => {
    const svg = event.target.closest && event.target.closest('svg');
    if (dragSvg) {
      const x = Math.min(width - right, Math.max(left,
        chartX(dragSvg, event)));
      mark(dragSvg, 'rect', { class: 'select', x: Math.min(x, dragFrom), y: 12,
        width: Math.abs(x - dragFrom),
        height: dragSvg.viewBox.baseVal.height - 12 - bottom });
      return;
    }
    unmark();
    const x = svg ? chartX(svg, event) : -1;
    if (!svg || x < left || x > width - right || !data.live.length) {
      tip.hidden = true;
      return;
    }
    const step = clampStep(x);
    const middle = (xOf(step) + xOf(step + 1)) / 2;
    mark(svg, 'line', { class: 'cross', x1: middle, x2: middle, y1: 12,
      y2: svg.viewBox.baseVal.height - bottom });
    const number = event.target.dataset && event.target.dataset.n;
    if (number !== undefined) event.target.classList.add('on');
    if (svg.id === 'placement' && number === undefined)
      showTip(event, stepText(step));
    else
      showTip(event, svg.id === 'memory' ? memoryTip(step) :
        bufferTip(+number));
  });
  document.addEventListener('mousedown', event => {
    const svg = event.target.closest('svg');
    if (!svg || event.button) return;
    dragSvg = svg;
    dragFrom = Math.min(width - right, Math.max(left, chartX(svg, event)));
    event.preventDefault();
  });
  document.addEventListener('mouseup', event => {
    if (!dragSvg) return;
    const x = chartX(dragSvg, event);
    const [a, b] = [clampStep(Math.min(x, dragFrom)),
      clampStep(Math.max(x, dragFrom))];
    const wide = Math.abs(x - dragFrom) > 6 && b > a;
    dragSvg = null;
    unmark();
    if (!wide) return;
    state.from = a;
    state.to = b + 1;
    render();
  });
  document.addEventListener('click', event => {
    const head = event.target.closest('th');
    if (head) return sortTable(head);
    const chosen = event.target.closest('button');
    if (!chosen) return;
    const action = chosen.dataset.do;
    if (action === 'fixed') state.fixed = !state.fixed;
    if (action === 'fine') state.fine = !state.fine;
    if (action === 'reset') {
      state.from = 0;
      state.to = data.entry.steps.length;
    }
    if (action.startsWith('entry-')) choose(+action.slice(6));
    else render();
  });

  if (facts.entries.length) choose(0);
  else page.innerHTML = '<h1>A program without entries</h1>';
})();
