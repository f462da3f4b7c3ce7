/** What V8 writes into a `.cpuprofile`, as far as it is read here. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  /** Node that was running, at each look, and microseconds since the look before. */
  readonly samples?: readonly number[];
  readonly timeDeltas?: readonly number[];
}

/** Shares are of the time in which the thread that serves was busy; of functions, without what they call. */
export interface ProfileSummary {
  /** Share of the whole time. */
  readonly busy: number;
  /** By our own folders, packages, Node, and what is nobody's; largest first. */
  readonly folders: readonly Share[];
  readonly functions: readonly Share[];
}

interface Share {
  readonly name: string;
  readonly share: number;
}

const FUNCTIONS = 12;
const LEAST_SHARE = 0.01;
/** V8's own names for what is no function. */
const OTHERS: Readonly<Record<string, string>> = {
  '(garbage collector)': 'garbage collection',
  '(program)': 'system calls and native code',
  '(root)': 'system calls and native code',
};

/** @param root of the checkout, so that files are named within it */
export function summaryOf({ nodes, samples = [], timeDeltas = [] }: CpuProfile, root: string): ProfileSummary {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const [folders, functions] = [new Map<string, number>(), new Map<string, number>()];
  let [whole, busy] = [0, 0];
  samples.forEach((id, at) => {
    const frame = frames.get(id);
    const time = timeDeltas[at] ?? 0;
    whole += time;
    if (frame === undefined || frame.functionName === '(idle)') return;
    busy += time;
    const file = placeOf(frame.url, root);
    const other = OTHERS[frame.functionName];
    add(folders, other ?? folderOf(file), time);
    const name = frame.functionName === '' ? '(anonymous)' : frame.functionName;
    add(functions, other ?? (file === '' ? `${name}, native` : `${name}, ${file}:${frame.lineNumber + 1}`), time);
  });
  return {
    busy: whole === 0 ? 0 : busy / whole,
    folders: shares(folders, busy),
    functions: shares(functions, busy).slice(0, FUNCTIONS),
  };
}

function add(times: Map<string, number>, name: string, time: number): void {
  times.set(name, (times.get(name) ?? 0) + time);
}

function shares(times: ReadonlyMap<string, number>, whole: number): Share[] {
  const all = [...times].map(([name, time]) => ({ name, share: time / whole }));
  return all.filter(({ share }) => share >= LEAST_SHARE).toSorted((a, b) => b.share - a.share);
}

/** `src/x/y.ts`, `node_modules/x/y.js`, `node:net`; empty for what has no file. */
function placeOf(url: string, root: string): string {
  const path = url.replace(/^file:\/\//, '');
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

/** Two parts of the path, of a package its name. */
function folderOf(file: string): string {
  if (file === '') return 'system calls and native code';
  if (file.startsWith('node:')) return 'Node';
  if (file.startsWith('wasm:')) return 'WebAssembly';
  const [first = '', second = '', third = ''] = file.split('/');
  return first === 'node_modules' && second.startsWith('@') ? `${first}/${second}/${third}` : `${first}/${second}`;
}

/** For people: one line for folders, one for functions. */
export function profileLines({ busy, folders, functions }: ProfileSummary): [string, string] {
  const told = (all: readonly Share[]): string =>
    all.map(({ name, share }) => `${(share * 100).toFixed(0)} % ${name}`).join('; ');
  return [`busy ${(busy * 100).toFixed(0)} % of the time: ${told(folders)}`, told(functions)];
}
