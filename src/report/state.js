// state: what the user has chosen, as the link keeps it: #p=3&m=rss&a=@1&b=@598&mode=lines&x=ms..ms&lin=7

const state = {
  process: null,
  metric: 'rss',
  mode: 'stacked',
  a: 0,
  b: 0,
  x0: null,
  x1: null,
  hover: null,
  lin: null,
  tree: [],
  treeColor: 'change',
  list: null,
  find: '',
  hidden: new Set(),
  solo: null
};
let S = null;

// The defaults for a process: B is the last stop, A is where the worst growth began, but not before the
// life of B.
function chooseDefaults() {
  const last = S.stops.length - 1,
    w = S.verdicts.worst;
  const life = S.stops.findIndex(k => k >= S.lifeStart(S.stops[last]));
  const since = w && w.since ? S.stops.findIndex(k => S.t[k] >= Date.parse(w.since)) : 0;
  Object.assign(state, {
    metric: S.metrics.includes('rss') ? 'rss' : S.metrics[0] || 'size',
    b: last,
    a: Math.min(Math.max(life, since, 0), Math.max(last - 1, 0)),
    x0: null,
    x1: null,
    hover: null,
    lin: null,
    tree: [],
    treeColor: w ? 'change' : 'category',
    list: null,
    find: '',
    hidden: new Set(),
    solo: null,
    mode: 'stacked'
  });
  if (S.guilty.length && S.K > 1) {
    const k = S.K - 1,
      m = state.metric;
    const grown = S.guilty.reduce((sum, c) => sum + ((c[m][k] || 0) - (c[m][S.lifeStart(k)] || 0)), 0);
    if (grown < 0.2 * (S.total[m][k] || 0)) state.mode = 'change';
  }
  state.defaults = { metric: state.metric, mode: state.mode, a: state.a, b: state.b };
}

function readLink() {
  const given = new URLSearchParams(location.hash.slice(1));
  const stop = word => {
    const i = S.id.indexOf(Number((word || '').slice(1)));
    return i < 0 ? -1 : S.stops.indexOf(i);
  };
  if (S.metrics.includes(given.get('m'))) state.metric = given.get('m');
  if (['stacked', 'change', 'lines'].includes(given.get('mode'))) state.mode = given.get('mode');
  if (stop(given.get('a')) >= 0) state.a = stop(given.get('a'));
  if (stop(given.get('b')) >= 0) state.b = stop(given.get('b'));
  if (state.a > state.b) [state.a, state.b] = [state.b, state.a];
  const x = (given.get('x') || '').split('..').map(Number);
  if (x.length === 2 && x[0] < x[1]) [state.x0, state.x1] = x;
  const lin = S.lin.find(l => l.id && String(l.id) === given.get('lin'));
  if (lin) state.lin = lin.i;
  if (['change', 'category'].includes(given.get('tree'))) state.treeColor = given.get('tree');
}

function writeLink() {
  const out = [];
  if (state.process !== null) out.push('p=' + state.process);
  out.push('m=' + state.metric, 'a=@' + S.id[S.stops[state.a]], 'b=@' + S.id[S.stops[state.b]]);
  if (state.mode !== state.defaults.mode) out.push('mode=' + state.mode);
  if (state.x0 !== null) out.push('x=' + Math.round(state.x0) + '..' + Math.round(state.x1));
  if (state.lin !== null && S.lin[state.lin].id) out.push('lin=' + S.lin[state.lin].id);
  if (state.treeColor !== (S.verdicts.worst ? 'change' : 'category')) out.push('tree=' + state.treeColor);
  try {
    history.replaceState(null, '', '#' + out.join('&'));
  } catch (e) {
    /* a file of some browsers */
  }
}

// Views are drawn again after a change of what they depend on.
const views = [];

function view(depends, draw) {
  views.push({ depends, draw });
}

let pending = null;

function change(what) {
  Object.assign(state, what);
  if (state.a > state.b) [state.a, state.b] = [state.b, state.a];
  const keys = Object.keys(what);
  if (!pending) {
    pending = new Set();
    requestAnimationFrame(() => {
      const changed = pending;
      pending = null;
      redraw(changed);
    });
  }
  for (const k of keys) pending.add(k);
}

function redraw(changed) {
  for (const v of views) if (!changed || v.depends.some(d => changed.has(d))) v.draw();
  if (S && (!changed || [...changed].some(c => c !== 'hover'))) writeLink();
}
