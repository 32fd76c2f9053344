'use strict';
// Draws the page from the facts: buffers are
// [name, kind, offset, size, first step, last step, reason], steps
// [op, module, phase, action, arithmetic, bytes, location]; names are numbers
// of facts.names.
//
// A chart is a slider over the steps: arrows move the cursor as a mouse does,
// and what is at it is the slider's value in words. Charts are drawn for the
// width of the page, one unit a pixel, and again when it changes.
(() => {
  const facts = JSON.parse(document.getElementById('facts').textContent);
  const page = document.getElementById('page');
  const tip = document.getElementById('tip');
  const kindColors = ['#4e79a7', '#8fb8de', '#6aada8', '#b3aca7', '#9c755f',
    '#d4a6c8', '#f2a03d', '#62a857', '#df5b5d', '#c2ad4a', '#a57bab'];
  // Fixed storage lies at the bottom, what passes quickly on top.
  const stackOrder = [0, 1, 2, 3, 4, 6, 8, 7, 10, 5, 9];
  const state = { entry: 0, from: 0, to: 0, fixed: true, fine: false,
    step: 0, buffer: null };
  let data; // of the chosen entry

  // ---- text ----
  const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  const text = s => String(s).replace(/[&<>"]/g, c => escapes[c]);
  const name = number => number === undefined ? '' : facts.names[number];
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
  /// Names of buffers, told apart where several have one: scratch and what is
  /// computed again by a word, others by the step that makes them.
  function labelsOf(entry) {
    const plain = b => name(b[0]) + (b[1] === 9 ? ', workspace' :
      b[1] === 8 ? ', again' : '');
    const ways = [plain, b => plain(b) + ' of step ' + b[4],
      b => plain(b) + ' at ' + integer(b[2])];
    let labels = entry.buffers.map(b => name(b[0]));
    for (const way of ways) {
      const times = new Map();
      for (const l of labels) times.set(l, (times.get(l) || 0) + 1);
      labels = labels.map((l, i) =>
        times.get(l) > 1 ? way(entry.buffers[i]) : l);
    }
    return labels;
  }
  function choose(number) {
    const entry = facts.entries[number];
    Object.assign(state, { entry: number, from: 0, to: entry.steps.length,
      step: entry.peakStep, buffer: null });
    data = { entry, live: stackOf(entry), labels: labelsOf(entry) };
    render();
  }
  const kindsIn = live => stackOrder.filter(k => live.some(row => row[k] > 0));

  // ---- drawing ----
  const left = 58, right = 14, bottom = 50;
  let width = 1200;
  const plotWidth = () => width - left - right;
  const xOf = step => left +
    (step - state.from) / Math.max(1, state.to - state.from) * plotWidth();
  const stepAt = x => Math.floor(
    state.from + (x - left) / plotWidth() * (state.to - state.from));
  function measure() {
    const style = getComputedStyle(page);
    const inner = page.clientWidth - parseFloat(style.paddingLeft) -
      parseFloat(style.paddingRight);
    return Math.max(280, Math.round(inner - (innerWidth > 640 ? 42 : 22)));
  }

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
        ` y1="${yOf(v)}" y2="${yOf(v)}"/><text x="${left - 6}"` +
        ` y="${yOf(v) + 4}" text-anchor="end">${integer(label)}</text>`;
    }
    svg += `<text transform="translate(12 ${(height - bottom) / 2 + 6})` +
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
        ` width="${xOf(end) - xOf(s)}" fill="var(--phase${steps[s][2]})"/>`;
      s = end;
    }
    for (const v of ticks(state.from, state.to, Math.max(3, width / 100), 1))
      if (Number.isInteger(v))
        svg += `<text x="${xOf(v)}" y="${y + 26}" text-anchor="middle">` +
          `${integer(v)}</text>`;
    return svg + `<text x="${left + plotWidth() / 2}" y="${height - 6}"` +
      ' text-anchor="middle">step of the program</text>';
  }
  const frame = (id, height, label, content) =>
    `<svg id="${id}" class="plot" viewBox="0 0 ${width} ${height}"` +
    ` tabindex="0" role="slider" aria-label="${label}" aria-orientation=` +
    `"horizontal" aria-valuemin="${state.from}" aria-valuemax="${state.to - 1}"` +
    ` aria-valuenow="${state.step}" aria-describedby="keys"><defs>` +
    `<clipPath id="${id}-clip"><rect x="${left}" y="0"` +
    ` width="${plotWidth()}" height="${height}"/></clipPath></defs>` +
    `${content}</svg>`;
  const clipped = (id, content) =>
    `<g clip-path="url(#${id}-clip)">${content}</g>`;

  function level(yOf, bytes, label) {
    const y = yOf(bytes);
    return `<line class="level" x1="${left}" x2="${width - right}" y1="${y}"` +
      ` y2="${y}"/><text class="strong" x="${left + 6}" y="${y - 5}">` +
      `${label}</text>`;
  }
  function memoryChart() {
    const height = width < 600 ? 320 : 400, { entry, live } = data;
    const high = Math.max(entry.peak, entry.maxLive, 1) * 1.1;
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
    const x = xOf(entry.endOfForward + 1), late = x > width - 170;
    const mark = entry.endOfForward < 0 || x < left || x > width - right ? '' :
      `<line class="edge" x1="${x}" x2="${x}" y1="12"` +
      ` y2="${height - bottom}"/><text class="strong" x="${late ? x - 5 : x + 5}"` +
      ` y="12" text-anchor="${late ? 'end' : 'start'}">end of the forward` +
      ' pass</text>';
    return frame('memory', height, 'memory over the step',
      svg + clipped('memory', areas) + mark +
      level(yOf, entry.peak, 'peak ' + size(entry.peak)) + timeAxis(height));
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
    const height = width < 600 ? 400 : 520, { entry } = data;
    const low = state.fixed ? 0 : facts.fixed;
    const high = low + Math.max(entry.peak - low, 1) * 1.04;
    const { svg, yOf } = axes(low, high, height, 'address');
    let rects = '';
    if (state.fixed)
      facts.buffers.forEach((b, i) => {
        rects += bufferRect(b, -1 - i, yOf, true);
      });
    entry.buffers.forEach((b, i) => { rects += bufferRect(b, i, yOf, false); });
    return frame('placement', height, 'placement of the buffers',
      svg + clipped('placement', rects) + timeAxis(height));
  }

  // ---- tables ----
  const bar = (value, most, color) => '<span class="bar" style="width:' +
    `${(80 * value / Math.max(1, most)).toFixed(1)}px;background:${color}">` +
    '</span>';
  /// A table of titles ["left", "title"] or "title" and rows of cells.
  function table(id, label, titles, rows) {
    const heads = titles.map(title => {
      const [kind, words] = Array.isArray(title) ? title : ['', title];
      return `<th scope="col" class="${kind}" aria-sort="none">` +
        `<button data-sort="${id}-${words}">${words}</button></th>`;
    });
    return '<div class="scroll" tabindex="0" role="region" aria-label="' +
      `${label}"><table><thead><tr>${heads.join('')}</tr></thead><tbody>` +
      rows.join('') + '</tbody></table></div>';
  }
  function moduleTable() {
    const rows = state.fine ? data.entry.fine : data.entry.coarse;
    const most = key => Math.max(...rows.map(row => row[key]), 1);
    const keptMost = most('kept'), peakMost = most('peak');
    const cell = (value, shown) => `<td data-v="${value}">${shown}</td>`;
    const flops = value => cell(value, value ? count(value, 'FLOP') : '–');
    const bytes = (value, all, color) => cell(value,
      value ? bar(value, all, color) + size(value) : '–');
    return table('modules', 'modules', ['module', 'steps', 'forward',
      'backward', 'recomputed', 'memory traffic', 'kept', 'live at the peak'],
    rows.map(row => `<tr><td data-v="${text(row.module)}">` +
      `${text(row.module || '(no module)')}</td>` +
      cell(row.steps, row.steps) + flops(row.forward) + flops(row.backward) +
      flops(row.recompute) + cell(row.traffic, size(row.traffic)) +
      bytes(row.kept, keptMost, kindColors[6]) +
      bytes(row.peak, peakMost, 'var(--bar)') + '</tr>'));
  }
  function peakTable() {
    const { entry } = data;
    const live = entry.buffers.map((b, number) => ({ b, number }))
      .filter(({ b }) => b[4] <= entry.peakStep && entry.peakStep <= b[5])
      .sort((x, y) => y.b[3] - x.b[3] || x.b[2] - y.b[2]).slice(0, 20);
    const most = live.length ? live[0].b[3] : 1;
    return table('peak', 'largest buffers at the peak', ['buffer',
      ['left', 'kind'], ['left', 'made by'], 'bytes', 'size', 'from step',
      'to step'],
    live.map(({ b, number }) => {
      const [, kind, , bytes, first, last] = b;
      return `<tr><td>${text(data.labels[number])}</td><td class="left">` +
        `${facts.kinds[kind]}</td><td class="left">${text(makerOf(b))}</td>` +
        `<td data-v="${bytes}">${integer(bytes)}</td><td data-v="${bytes}">` +
        `${bar(bytes, most, kindColors[kind])}${size(bytes)}</td>` +
        `<td>${first}</td><td>${last}</td></tr>`;
    }));
  }
  function makerOf(b) {
    const step = b[1] === 4 ? undefined : data.entry.steps[b[4]];
    return step ? name(step[0]) + (name(step[1]) ? ' in ' + name(step[1]) : '')
      : '';
  }
  function sortTable(head) {
    const body = head.closest('table').tBodies[0];
    const up = head.getAttribute('aria-sort') === 'descending';
    const cell = row => row.cells[head.cellIndex];
    const value = row => cell(row).dataset.v ?? cell(row).textContent;
    const compare = (a, b) => {
      const x = value(a), y = value(b);
      const order = x !== '' && y !== '' && !isNaN(x) && !isNaN(y) ? x - y :
        String(x).localeCompare(String(y));
      return up ? order : -order;
    };
    for (const other of head.parentNode.cells)
      other.setAttribute('aria-sort', 'none');
    head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    body.append(...[...body.rows].sort(compare));
  }

  // ---- page ----
  /// The certificate of a step that keeps a budget.
  function budget() {
    const rows = (data.entry.budget || []).map(([title, value]) =>
      `<tr><th scope="row" class="left">${text(title)}</th>` +
      `<td class="left">${text(value)}</td></tr>`);
    return rows.length ? '<section class="card budget"><h2>Budget</h2>' +
      `<div class="scroll" tabindex="0" role="region" aria-label="budget">` +
      `<table><tbody>${rows.join('')}</tbody></table>` +
      '</div></section>' : '';
  }
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
      fact(percent(share), 'of the arithmetic recomputed, ' +
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
      `<span><i style="background:var(--phase${p})"></i>` +
      `${facts.phases[p]}</span>`).join('') + '</div>';
  const button = (action, label, on) => `<button data-do="${action}"` +
    `${on === undefined ? '' : ` aria-pressed="${on}"`}>${label}</button>`;
  const zoomButtons = () => button('closer', 'closer') +
    (state.from === 0 && state.to === data.entry.steps.length ? '' :
      button('reset', 'show all steps'));
  /// What the program is for, and to open what it needs of it.
  function target() {
    const [name, version] = facts.library.split(' ');
    const library = name ? ', ' + text(name + ' ' + version) : '';
    const full = [facts.target.replace(/,/g, ', '), facts.library];
    return `<details class="about"><summary>compiled for ${text(facts.device)}` +
      `${library}` +
      `</summary>${text(full.filter(Boolean).join('; '))}</details>`;
  }
  function head() {
    const about = [facts.data, facts.checkpointing &&
      'checkpointing ' + facts.checkpointing].filter(Boolean).map(text);
    const command = facts.command ?
      `<p class="about"><code>${text(facts.command)}</code></p>` : '';
    return `<header><div><h1>${text(facts.model)}</h1>` +
      `<p class="about">${about.join(' · ')}</p>${command}${target()}</div>` +
      '<div class="choice" role="group" aria-label="entry">' +
      facts.entries.map((e, i) => button('entry-' + i, text(e.name),
        i === state.entry)).join('') + '</div></header>';
  }
  function cards() {
    const { entry } = data;
    return '<section class="card"><div class="tools">' + zoomButtons() +
      '</div><h2>Memory over the step</h2><p class="note">Live bytes by kind; ' +
      `the legend tells them at the peak, step ${entry.peakStep}. <span ` +
      'id="keys">Drag, or + and −, to look closer; arrows go from step to ' +
      'step, Escape shows all.</span></p>' + legend(entry.peakStep) +
      memoryChart() + phaseLegend() + '</section><section class="card">' +
      '<div class="tools">' + zoomButtons() +
      button('fixed', 'fixed storage', state.fixed) + '</div>' +
      '<h2>Placement</h2><p class="note">Every buffer from its first to its ' +
      'last step at its address in the arena; its name is under the mouse, ' +
      'and the up and down keys go through the buffers of a step.</p>' +
      placementChart() + '</section><section class="card">' +
      '<div class="tools">' + button('fine', 'whole paths', state.fine) +
      '</div><h2>By module</h2><p class="note">A buffer belongs to the module ' +
      'that writes it first.</p>' + moduleTable() +
      '</section><section class="card"><h2>Largest buffers at the peak</h2>' +
      '<p class="note">Without fixed storage, live at step ' +
      `${entry.peakStep}.</p>` + peakTable() + '</section>';
  }
  /// What has the focus keeps it.
  function render() {
    const { activeElement } = document;
    const focus = activeElement && page.contains(activeElement) ?
      activeElement.id ? '#' + activeElement.id :
        `[data-do="${activeElement.dataset.do}"]` : '';
    width = measure();
    page.innerHTML = head() + numbers() + cards() + budget();
    for (const svg of page.querySelectorAll('svg.plot'))
      svg.setAttribute('aria-valuetext', words(svg.id));
    const again = focus && page.querySelector(focus);
    if (again) again.focus();
  }

  // ---- what is at a step ----
  function showTip(x, y, html) {
    tip.innerHTML = html;
    tip.hidden = false;
    tip.style.left =
      Math.max(4, Math.min(x + 16, innerWidth - tip.offsetWidth - 8)) + 'px';
    tip.style.top =
      Math.max(4, Math.min(y + 16, innerHeight - tip.offsetHeight - 8)) + 'px';
  }
  function stepLines(step) {
    const [op, module, phase, , flops, bytes, location] =
      data.entry.steps[step];
    return [`step ${step}: ${name(op)}` +
      (name(module) ? ' in ' + name(module) : ''),
    `${facts.phases[phase]}, ${count(flops, 'FLOP')}, ${size(bytes)} moved`]
      .concat(name(location) ? [name(location)] : []);
  }
  const kindsAt = step => kindsIn(data.live).reverse()
    .filter(kind => data.live[step][kind]);
  const liveAt = step => data.live[step].reduce((a, b) => a + b, 0);
  /// Why a buffer is in memory.
  const reasons = {
    input: 'an input of the step', result: 'a result of the step',
    workspace: 'a workspace', passing: 'its readers come soon',
    again: 'recomputed', runs_once: 'kept, its op changes state',
    asked: 'kept, as requested', free: 'kept, nothing asks for less memory',
    dear: 'kept, recomputing it costs more than its bytes are worth',
    source_gone: 'kept, what it is computed from is gone by then'
  };
  function bufferLines(number) {
    const isFixed = number < 0;
    const [n, kind, offset, bytes, first, last, reason] =
      isFixed ? facts.buffers[-1 - number] : data.entry.buffers[number];
    const lines = [isFixed ? name(n) : data.labels[number],
      `${facts.kinds[kind]}, ${size(bytes)} (${integer(bytes)} bytes)`,
      `addresses ${integer(offset)} to ${integer(offset + bytes - 1)}`];
    if (isFixed) return lines.concat('there in every step');
    lines.push(`in memory from step ${first} to ${last}` +
      (name(reason) ? `: ${reasons[name(reason)]}` : ''));
    return kind === 4 ? lines.concat('an input of the step') :
      lines.concat('made by:', stepLines(first));
  }
  const asHtml = ([title, ...lines]) => `<b>${text(title)}</b>` +
    lines.map(line => `<span>${text(line)}</span>`).join('');
  function tipOf(chart) {
    if (chart === 'placement' && state.buffer !== null)
      return asHtml(bufferLines(state.buffer));
    if (chart === 'placement') return asHtml(stepLines(state.step));
    const row = data.live[state.step];
    return asHtml(stepLines(state.step)) + '<table>' +
      kindsAt(state.step).map(kind => '<tr><td><i style="background:' +
        `${kindColors[kind]}"></i>${facts.kinds[kind]}</td>` +
        `<td>${size(row[kind])}</td></tr>`).join('') +
      `<tr><td>all</td><td>${size(liveAt(state.step))}</td></tr></table>`;
  }
  /// The same for those who hear it.
  function words(chart) {
    if (!data.live.length) return '';
    if (chart === 'placement' && state.buffer !== null)
      return bufferLines(state.buffer).join('; ');
    return stepLines(state.step).join('; ') +
      `; ${size(liveAt(state.step))} in use: ` + kindsAt(state.step).map(
      kind => `${facts.kinds[kind]} ${size(data.live[state.step][kind])}`)
      .join(', ');
  }

  // ---- the cursor ----
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
  function hideTip() {
    unmark();
    tip.hidden = true;
  }
  /// Shows the state's step, and buffer, at a place of the window or at the
  /// cursor.
  function point(svg, place) {
    unmark();
    const middle = (xOf(state.step) + xOf(state.step + 1)) / 2;
    mark(svg, 'line', { class: 'cross', x1: middle, x2: middle, y1: 12,
      y2: svg.viewBox.baseVal.height - bottom });
    const rect = svg.id === 'placement' && state.buffer !== null ?
      svg.querySelector(`[data-n="${state.buffer}"]`) : null;
    if (rect) rect.classList.add('on');
    svg.setAttribute('aria-valuenow', state.step);
    svg.setAttribute('aria-valuetext', words(svg.id));
    const box = svg.getBoundingClientRect();
    showTip(place ? place.clientX : box.left + middle / width * box.width,
      place ? place.clientY : Math.max(box.top, 0) + 24, tipOf(svg.id));
  }
  /// The x of an event in a chart's own units.
  function chartX(svg, event) {
    const box = svg.getBoundingClientRect();
    return (event.clientX - box.left) / box.width * width;
  }
  const clampStep = step => Math.min(state.to - 1, Math.max(state.from, step));
  function zoom(from, to) {
    state.from = Math.max(0, Math.round(from));
    state.to = Math.min(data.entry.steps.length,
      Math.max(Math.round(to), state.from + 1));
    state.step = clampStep(state.step);
    hideTip();
    render();
  }
  function zoomBy(factor) {
    const wide = Math.max(2, (state.to - state.from) * factor);
    const from = Math.min(Math.max(0, state.step - wide / 2),
      Math.max(0, data.entry.steps.length - wide));
    zoom(from, from + wide);
  }

  // ---- mouse and finger ----
  let dragFrom = null, dragSvg = null;
  const plotOf = event => event.target.closest && event.target.closest('.plot');
  function hover(svg, event) {
    const x = chartX(svg, event);
    if (x < left || x > width - right || !data.live.length) return hideTip();
    state.step = clampStep(stepAt(x));
    const number = event.target.dataset && event.target.dataset.n;
    state.buffer = number === undefined ? null : +number;
    point(svg, event);
  }
  document.addEventListener('pointermove', event => {
    if (dragSvg) {
      const x = Math.min(width - right, Math.max(left,
        chartX(dragSvg, event)));
      mark(dragSvg, 'rect', { class: 'select', x: Math.min(x, dragFrom), y: 12,
        width: Math.abs(x - dragFrom),
        height: dragSvg.viewBox.baseVal.height - 12 - bottom });
      return;
    }
    const svg = plotOf(event);
    if (svg) hover(svg, event);
    else if (!document.activeElement.closest('.plot')) hideTip();
  });
  document.addEventListener('pointerdown', event => {
    const svg = plotOf(event);
    if (!svg) return hideTip();
    if (event.button) return;
    if (event.pointerType === 'touch') return hover(svg, event);
    dragSvg = svg;
    dragFrom = Math.min(width - right, Math.max(left, chartX(svg, event)));
    event.preventDefault();
  });
  document.addEventListener('pointerup', event => {
    if (!dragSvg) return;
    const x = chartX(dragSvg, event);
    const a = clampStep(stepAt(Math.min(x, dragFrom)));
    const b = clampStep(stepAt(Math.max(x, dragFrom)));
    const wide = Math.abs(x - dragFrom) > 6 && b > a;
    dragSvg = null;
    unmark();
    if (wide) zoom(a, b + 1);
  });

  // ---- keys and buttons ----
  /// The next buffer of the state's step, by address.
  function nextBuffer(direction) {
    const here = data.entry.buffers.map((b, number) => ({ b, number }))
      .filter(({ b }) => b[4] <= state.step && state.step <= b[5])
      .sort((x, y) => x.b[2] - y.b[2]);
    const at = here.findIndex(({ number }) => number === state.buffer);
    const next = at < 0 ? (direction > 0 ? 0 : here.length - 1) :
      Math.min(here.length - 1, Math.max(0, at + direction));
    state.buffer = here.length ? here[next].number : null;
  }
  function moveStep(step) {
    state.step = clampStep(step);
    const b = state.buffer !== null && data.entry.buffers[state.buffer];
    if (!b || state.step < b[4] || state.step > b[5]) state.buffer = null;
  }
  function pressed(svg, event) {
    const { id } = svg, page10 = Math.ceil((state.to - state.from) / 10);
    const upDown = direction => id === 'placement' ? nextBuffer(direction) :
      moveStep(state.step + direction);
    const actions = {
      ArrowLeft: () => moveStep(state.step - 1),
      ArrowRight: () => moveStep(state.step + 1),
      ArrowUp: () => upDown(1), ArrowDown: () => upDown(-1),
      PageUp: () => moveStep(state.step + page10),
      PageDown: () => moveStep(state.step - page10),
      Home: () => moveStep(state.from), End: () => moveStep(state.to - 1),
      '+': () => zoomBy(0.5), '-': () => zoomBy(2),
      Escape: () => zoom(0, data.entry.steps.length) };
    const action = actions[event.key];
    if (!action || !data.live.length) return;
    event.preventDefault();
    action();
    if (event.key !== 'Escape') point(document.getElementById(id));
  }
  document.addEventListener('keydown', event => {
    const svg = plotOf(event);
    if (svg && !event.ctrlKey && !event.altKey && !event.metaKey)
      pressed(svg, event);
  });
  document.addEventListener('focusin', event => {
    const svg = plotOf(event);
    if (svg && data.live.length) point(svg);
  });
  document.addEventListener('focusout', event => plotOf(event) && hideTip());
  document.addEventListener('click', event => {
    const chosen = event.target.closest('button');
    if (!chosen) return;
    if (chosen.dataset.sort) return sortTable(chosen.closest('th'));
    const action = chosen.dataset.do;
    if (action === 'closer') return zoomBy(0.5);
    if (action === 'reset') return zoom(0, data.entry.steps.length);
    if (action === 'fixed') state.fixed = !state.fixed;
    if (action === 'fine') state.fine = !state.fine;
    if (action.startsWith('entry-')) choose(+action.slice(6));
    else render();
  });
  addEventListener('resize', () => {
    if (data && measure() !== width) render();
  });

  if (facts.entries.length) choose(0);
  else page.innerHTML = '<h1>A program without entries</h1>';
})();
