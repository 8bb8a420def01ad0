// base: elements, texts, numbers and times in words, buttons. Names of processes and files reach the
// page only as textContent and fillText, with their control characters made visible.

const KIB = 1,
  MIB = 1024,
  GIB = 1024 * 1024,
  PAGE_KIB = 4;
const HOUR = 3600e3;

// Shows controls, marks of direction and characters without width as ‹202E›.
function visible(text) {
  return String(text).replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    c => '‹' + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0') + '›'
  );
}

// el('td.number', {title: 'x'}, child or text ...) makes an element; an `on` attribute is a function.
function el(what, attributes, ...children) {
  const [tag, ...classes] = what.split('.');
  const e = document.createElement(tag);
  if (classes.length) e.className = classes.join(' ');
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === 'function') e.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false)
      e.setAttribute(name, value === true ? '' : visible(value));
  }
  for (const c of children.flat()) if (c !== null && c !== undefined && c !== '') e.append(c.nodeType ? c : visible(c));
  return e;
}

function shorten(text, most) {
  text = visible(text);
  return text.length <= most ? text : text.slice(0, most / 2 - 1) + '…' + text.slice(text.length - most / 2);
}

// ---- numbers ----

function kib(v) {
  if (v === null || v === undefined) return '?';
  const size = Math.abs(v),
    units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let i = 0,
    of = 1;
  while (size / of >= 1023.5 && i < units.length - 1) {
    of *= 1024;
    i++;
  }
  const n = size / of;
  const digits = i === 0 || n >= 99.95 ? 0 : n >= 9.995 ? 1 : 2;
  return (v < 0 ? '−' : '') + n.toFixed(digits) + ' ' + units[i];
}

function signed(v, format = kib) {
  return v === null ? '?' : v === 0 ? '0' : (v > 0 ? '+' : '') + format(v);
}

function count(v) {
  return v === null ? '?' : (v < 0 ? '−' : '') + String(Math.abs(Math.round(v))).replace(/\B(?=(\d{3})+$)/g, ',');
}

function plural(n, word) {
  return count(n) + ' ' + word + (n === 1 ? '' : word.endsWith('s') ? 'es' : 's');
}

function span(ms) {
  const s = Math.round(ms / 1000);
  if (s < 120) return s + ' s';
  if (s < 120 * 60) return Math.round(s / 60) + ' min';
  if (s < 48 * 3600) return (s / 3600).toFixed(s < 36000 ? 1 : 0) + ' h';
  if (s < 2 * 365 * 86400) return (s / 86400).toFixed(s < 100 * 86400 ? 1 : 0) + ' days';
  return Math.round(s / (365.25 * 86400)) + ' years';
}

// ---- times, UTC ----

function iso(ms) {
  return new Date(ms).toISOString();
}

// A time as precise as a span of time needs it: with the date from a day on, with seconds up to it.
function clock(ms, over) {
  const t = iso(ms);
  if (over > 300 * 24 * HOUR) return t.slice(0, 10);
  if (over > 24 * HOUR) return t.slice(0, 10) + ' ' + t.slice(11, 16);
  return t.slice(11, over > 6 * HOUR ? 16 : 19);
}

// Round times between two, at most `most`, and how to show them.
function timeTicks(from, to, most) {
  const steps = [
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 1209600,
    2592000, 7776000, 31536000
  ].map(s => s * 1000);
  const step = steps.find(s => (to - from) / s <= most) || steps[steps.length - 1] * 2;
  const ticks = [];
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) ticks.push(t);
  const words = t =>
    step >= 86400e3 ? iso(t).slice(5, 10) : step >= 60e3 ? iso(t).slice(11, 16) : iso(t).slice(11, 19);
  return { ticks, words };
}

// Round sizes between two.
function sizeTicks(from, to, most) {
  const raw = Math.max((to - from) / most, 1);
  let step = 1;
  while (step < raw) step *= 1024;
  for (const part of [1 / 512, 1 / 256, 1 / 128, 1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2]) {
    if (step * part >= raw && step * part >= 1) {
      step *= part;
      break;
    }
  }
  const ticks = [];
  for (let v = Math.ceil(from / step) * step; v <= to; v += step) ticks.push(v);
  return ticks;
}

// ---- controls ----

// A group of buttons; one of them is chosen, and the arrow keys choose another.
function choice(label, words, current, choose) {
  const buttons = words.map(([value, word]) =>
    el(
      'button',
      {
        type: 'button',
        role: 'radio',
        'aria-checked': String(value === current),
        tabindex: value === current ? 0 : -1,
        'data-value': value,
        click: () => choose(value)
      },
      word
    )
  );
  const group = el('span.choice', { role: 'radiogroup', 'aria-label': label }, buttons);
  group.addEventListener('keydown', e => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
    if (!step) return;
    e.preventDefault();
    e.stopPropagation();
    const at = buttons.indexOf(document.activeElement);
    const next = buttons[(at + step + buttons.length) % buttons.length];
    choose(next.dataset.value);
    const again = document.querySelector(`[aria-label="${label}"] [data-value="${next.dataset.value}"]`);
    if (again) again.focus();
  });
  return group;
}

// A command with a button that copies it.
function command(text) {
  const button = el('button', { type: 'button', 'aria-label': 'copy the command ' + text }, 'copy');
  button.addEventListener('click', () => {
    const done = () => {
      button.textContent = 'copied';
      setTimeout(() => {
        button.textContent = 'copy';
      }, 1500);
    };
    if (navigator.clipboard && window.isSecureContext) navigator.clipboard.writeText(text).then(done, () => {});
    else {
      const range = document.createRange();
      range.selectNodeContents(button.previousSibling);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      document.execCommand('copy');
      done();
    }
  });
  return el('span.command', {}, el('code', {}, text), button);
}

// What --process takes; a name that a shell could read as more than a word is called by its id.
function processWord(name, pid, id, lives) {
  if (!/^[A-Za-z0-9_.+][A-Za-z0-9_.+-]*$/.test(name)) return '@' + id;
  return lives > 1 || pid === null ? name : name + '/' + pid;
}

// ---- canvases ----

function color(name) {
  return getComputedStyle(document.documentElement)
    .getPropertyValue('--' + name)
    .trim();
}

const FONT = '11px system-ui, "DejaVu Sans", sans-serif';
const BOLD = 'bold ' + FONT;

// Makes the canvas as sharp as the screen, and returns its context in CSS pixels.
function prepare(canvas, height) {
  const scale = window.devicePixelRatio || 1,
    width = canvas.clientWidth || canvas.parentNode.clientWidth;
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.round(height * scale);
  canvas.style.height = height + 'px';
  const c = canvas.getContext('2d');
  c.setTransform(scale, 0, 0, scale, 0, 0);
  c.font = FONT;
  c.textBaseline = 'middle';
  c.lineJoin = 'round';
  return c;
}

// A text that fits into some room, shortened in its middle.
function fitted(c, text, room) {
  let fits = visible(text);
  for (let most = fits.length; c.measureText(fits).width > room && most > 4; most -= 2) fits = shorten(text, most);
  return fits;
}

// Stripes for what grows: it differs from the rest in more than colour.
function stripes(c, fill, line) {
  const tile = document.createElement('canvas');
  tile.width = tile.height = 6;
  const t = tile.getContext('2d');
  t.fillStyle = fill;
  t.fillRect(0, 0, 6, 6);
  t.strokeStyle = line;
  t.lineWidth = 1;
  t.beginPath();
  for (const x of [-6, 0, 6]) {
    t.moveTo(x, 6);
    t.lineTo(x + 6, 0);
  }
  t.stroke();
  return c.createPattern(tile, 'repeat');
}

function fade(hex, strength) {
  const n = parseInt(hex.slice(1), 16);
  return `rgba(${n >> 16},${(n >> 8) & 255},${n & 255},${strength})`;
}

// Black or white, whichever reads better on a colour.
function inkOn(paint) {
  const [r, g, b] =
    paint[0] === '#' ? [1, 3, 5].map(i => parseInt(paint.slice(i, i + 2), 16)) : paint.match(/[0-9]+/g).map(Number);
  return 0.299 * r + 0.587 * g + 0.114 * b > 112 ? '#101418' : '#f2f5f8';
}

// A color between two, by a share from 0 to 1.
function mix(from, to, share) {
  const a = parseInt(from.slice(1), 16),
    b = parseInt(to.slice(1), 16);
  const part = shift => Math.round(((a >> shift) & 255) * (1 - share) + ((b >> shift) & 255) * share);
  return `rgb(${part(16)},${part(8)},${part(0)})`;
}
