import type { SessionState } from '../../guard/contract.ts';
import type {
  BucketList,
  KeyList,
  ObjectInspection,
  Overview,
  OverviewWindow,
  ReplicaList,
  ReplicaState,
  RequestDetail,
  RequestFilter,
  RequestSummary,
  StreamEvents,
  Timeline,
} from '../../inspector/contract.ts';
import type { LifecycleList } from '../../lifecycle/contract.ts';
import type { UsageList } from '../../usage/contract.ts';
import { logIn, logOut } from './api.ts';
import { Comparer } from './comparer.ts';
import { type Filter, withField, writeFilter } from './filter.ts';
import { LiveList } from './live-list.ts';
import { type Connection, LiveStream } from './live-stream.ts';
import { Resource } from './resource.ts';
import { type BucketsRoute, readRoute, type Route, writeRoute } from './route.ts';

/** Typing goes on for a moment: the stream is opened anew when it has ended. */
const TYPING_MS = 300;
/** Rows drawn; more on demand. Whatever row is added, the browser lays all of them out anew. */
const PAGE_ROWS = 100;
/** How long what comes by itself waits to be drawn with what else comes: more often cannot be read. */
const TOGETHER_MS = 200;
const MESSAGE_MS = 4000;
/** Overviews are read again; those of a day change slowly. */
const OVERVIEW_MS = { hour: 5000, day: 30_000 } as const;
/** What passes have noted changes with them, and reading it costs calls to the backends. */
const PASSES_MS = 60_000;
/** Names on a page of buckets or keys. */
const PAGE_NAMES = '200';

/** What the page knows, and what can be done on it. Views read it and call it; it draws nothing itself. */
export class App {
  readonly #changed: () => void;
  readonly list = new LiveList();
  readonly replicas = new Map<string, ReplicaState>();
  readonly session: Resource<SessionState>;
  readonly settings: Resource<ReplicaList>;
  readonly detail: Resource<RequestDetail>;
  readonly object: Resource<ObjectInspection>;
  readonly timeline: Resource<Timeline>;
  readonly overview: Resource<Overview>;
  readonly usage: Resource<UsageList>;
  readonly lifecycle: Resource<LifecycleList>;
  readonly buckets: Resource<BucketList>;
  readonly keys: Resource<KeyList>;
  readonly comparer: Comparer;
  /** Plots whose figures are unfolded. */
  readonly figures = new Set<string>();
  route: Route = { view: 'overview', window: 'hour' };
  connection: Connection = 'connecting';
  /** The server asks for a token. */
  tokenNeeded = false;
  loginFailure = '';
  rows = PAGE_ROWS;
  /** Row that has, or last had, the focus. */
  cursor: string | undefined;
  /** Request whose detail gets the focus once it is drawn. */
  focusWanted: string | undefined;
  /** Row that gets the focus once the detail is gone. */
  rowWanted: string | undefined;
  /** What was just done, for a moment. */
  message = '';
  #window: OverviewWindow = 'hour';
  #overviewDue = 0;
  #passesDue = 0;
  #filter: Filter = {};
  #stream: LiveStream | undefined;
  #streamed: string | undefined;
  #typing: ReturnType<typeof setTimeout> | undefined;
  #fading: ReturnType<typeof setTimeout> | undefined;
  #drawing: ReturnType<typeof setTimeout> | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
    const events = { changed, refused: () => this.#refused() };
    this.session = new Resource(events);
    this.settings = new Resource(events);
    this.detail = new Resource(events);
    this.object = new Resource(events);
    this.timeline = new Resource(events);
    this.overview = new Resource(events);
    this.usage = new Resource(events);
    this.lifecycle = new Resource(events);
    this.buckets = new Resource(events);
    this.keys = new Resource(events);
    this.comparer = new Comparer(changed);
  }

  /** Takes over the address; to be called at the start and whenever it changes. */
  follow(fragment: string): void {
    const route = readRoute(fragment);
    if (openOf(route) !== openOf(this.route)) this.comparer.clear();
    this.route = route;
    if (route.view === 'requests') this.#filter = route.filter;
    if (route.view === 'overview') this.#window = route.window;
    void this.session.load('/session');
    void this.settings.load('/api/replicas');
    this.#watch();
    this.#read(route);
    this.#changed();
  }

  /** Goes somewhere; `replace` for steps that Back should not retrace. */
  go(route: Route, replace = false): void {
    if (replace) {
      history.replaceState(null, '', writeRoute(route));
      this.follow(location.hash);
    } else {
      location.hash = writeRoute(route);
    }
  }

  /** Of the overview; while something else is shown, the one that it had. */
  get window(): OverviewWindow {
    return this.#window;
  }

  /** Of the list; while something else is shown, the one that it had. */
  get filter(): Filter {
    return this.#filter;
  }

  get open(): string | undefined {
    return openOf(this.route);
  }

  setFilter(filter: Filter): void {
    this.go({ view: 'requests', filter, ...(this.open !== undefined && { open: this.open }) }, true);
  }

  setField(name: keyof RequestFilter, value: string): void {
    this.setFilter(withField(this.filter, name, value));
  }

  toggle(name: 'errors' | 'slow'): void {
    this.setField(name, this.filter[name] === undefined ? 'true' : '');
  }

  routeTo(request: RequestSummary): Route {
    return { view: 'requests', filter: this.filter, open: request.href };
  }

  close(): void {
    this.rowWanted = this.cursor;
    this.go({ view: 'requests', filter: this.filter });
  }

  togglePause(): void {
    if (this.list.paused) this.list.resume();
    else this.list.pause();
    this.#changed();
  }

  showMore(): void {
    this.rows += PAGE_ROWS;
    this.#changed();
  }

  /** Reads everything again, as after lost events. */
  reload(): void {
    this.#streamed = undefined;
    this.#watch();
  }

  /** Looks at an object, also again at the one that is shown. */
  lookAt(bucket: string, key: string): void {
    const { route } = this;
    if (route.view === 'object' && route.bucket === bucket && route.key === key) this.#inspect(bucket, key, true);
    else this.go({ view: 'object', bucket, key });
  }

  /** Time has passed: what is running has run for longer, and more was counted. */
  tick(): void {
    if (this.route.view === 'overview') this.#readOverview(this.route.window);
    if (this.route.view === 'requests' && this.list.requests.some(({ outcome }) => outcome === 'running')) {
      this.#changed();
    }
  }

  showFigures(title: string, shown: boolean): void {
    if (shown) this.figures.add(title);
    else this.figures.delete(title);
    this.#changed();
  }

  say(message: string): void {
    clearTimeout(this.#fading);
    this.message = message;
    this.#fading = setTimeout(() => {
      this.message = '';
      this.#changed();
    }, MESSAGE_MS);
    this.#changed();
  }

  async logIn(token: string): Promise<void> {
    try {
      await logIn(token);
    } catch (error) {
      this.loginFailure = error instanceof Error ? error.message : String(error);
      this.#changed();
      return;
    }
    this.tokenNeeded = false;
    this.loginFailure = '';
    void this.session.load('/session', undefined, true);
    this.follow(location.hash);
  }

  /** What was read goes with the cookie. Without an answer that says so the cookie may still be there. */
  async logOut(): Promise<void> {
    try {
      await logOut();
    } catch (error) {
      this.say(`You are still signed in: ${error instanceof Error ? error.message : String(error)}`);
      return;
    }
    const { detail, object, timeline, overview, usage, lifecycle, buckets, keys } = this;
    for (const shown of [detail, object, timeline, overview, usage, lifecycle, buckets, keys]) shown.clear();
    this.comparer.clear();
    this.#refused();
  }

  /** What a view shows that is read once. */
  #read(route: Route): void {
    if (this.tokenNeeded) return;
    if (route.view === 'requests') this.#openDetail(route.open);
    if (route.view === 'object') this.#inspect(route.bucket, route.key);
    if (route.view === 'timeline') void this.timeline.load('/api/timeline', timelineQuery(route));
    if (route.view === 'overview') this.#readOverview(route.window);
    if (route.view === 'buckets') this.#readNames(route);
    if (route.view === 'overview' || route.view === 'buckets') this.#readPasses();
  }

  /** Again only when the last one is there and some time has passed: busy gateways are not asked more often. */
  #readOverview(window: OverviewWindow): void {
    if (this.tokenNeeded) return;
    const again = performance.now() >= this.#overviewDue && !this.overview.isReading && !document.hidden;
    if (again) this.#overviewDue = performance.now() + OVERVIEW_MS[window];
    void this.overview.load('/api/overview', new URLSearchParams({ window, scope: 'all' }), again);
  }

  /** What passes have counted and done. */
  #readPasses(): void {
    const again = performance.now() >= this.#passesDue && !this.usage.isReading && !this.lifecycle.isReading;
    if (again) this.#passesDue = performance.now() + PASSES_MS;
    void this.usage.load('/api/usage', undefined, again);
    if (this.route.view === 'overview') void this.lifecycle.load('/api/lifecycle', undefined, again);
  }

  #readNames({ bucket, prefix = '', versions, after = '', afterVersion = '' }: BucketsRoute): void {
    if (bucket === undefined) {
      void this.buckets.load('/api/buckets', new URLSearchParams({ after, limit: PAGE_NAMES }));
      return;
    }
    const place = { after, afterVersion, limit: PAGE_NAMES };
    const query = { prefix, delimiter: '/', versions: versions ?? 'false', ...place };
    void this.keys.load(`/api/buckets/${encodeURIComponent(bucket)}/keys`, new URLSearchParams(query));
  }

  #inspect(bucket: string, key: string, again = false): void {
    if (bucket === '' || key === '') this.object.clear();
    else void this.object.load(`/api/objects/${encodeURIComponent(bucket)}`, new URLSearchParams({ key }), again);
  }

  #openDetail(href: string | undefined): void {
    if (href === undefined) {
      this.detail.clear();
    } else {
      this.cursor = href;
      void this.detail.load(href);
    }
  }

  /** One stream, for the filter of the list; another filter opens another, once typing has ended. */
  #watch(): void {
    if (this.route.view !== 'requests' || this.tokenNeeded) return;
    const wanted = writeFilter(this.filter).toString();
    if (wanted === this.#streamed) return;
    const first = this.#stream === undefined;
    this.#streamed = wanted;
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#restart(), first ? 0 : TYPING_MS);
  }

  #restart(): void {
    this.#stream?.close();
    this.list.clear();
    this.rows = PAGE_ROWS;
    this.#stream = new LiveStream(
      this.filter,
      {
        connection: (state) => {
          this.connection = state;
          this.#changed();
        },
        opened: () => this.list.forgetRunning(),
        refused: () => this.#refused(),
      },
      {
        replica: (replica) => this.#replicaChanged(replica),
        started: (summary) => this.#received(summary),
        finished: (summary) => this.#received(summary),
        lost: (lost) => {
          this.list.addLost(lost);
          this.#changed();
        },
        leftOut: (leftOut) => {
          this.list.addLeftOut(leftOut);
          this.#changedSoon();
        },
      },
    );
    this.#changed();
  }

  #received(summary: StreamEvents['finished']): void {
    this.list.add(summary);
    if (
      summary.href === this.open &&
      summary.outcome !== 'running' &&
      this.detail.value?.summary.outcome === 'running'
    ) {
      void this.detail.load(summary.href, undefined, true);
    }
    this.#changedSoon();
  }

  #changedSoon(): void {
    if (this.#drawing !== undefined) return;
    this.#drawing = setTimeout(() => {
      this.#drawing = undefined;
      this.#changed();
    }, TOGETHER_MS);
  }

  #replicaChanged(replica: ReplicaState): void {
    // One that never answered goes by its address until it says who it is.
    if (replica.address !== undefined && replica.id !== replica.address) this.replicas.delete(replica.address);
    this.replicas.set(replica.id, replica);
    this.#changed();
  }

  #refused(): void {
    this.tokenNeeded = true;
    this.#stream?.close();
    this.#streamed = undefined;
    this.list.clear();
    this.#changed();
  }
}

function openOf(route: Route): string | undefined {
  return route.view === 'requests' ? route.open : undefined;
}

function timelineQuery({ bucket, key, uploadId }: Extract<Route, { view: 'timeline' }>): URLSearchParams {
  const given = Object.entries({ bucket, key, uploadId }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return new URLSearchParams([['scope', 'all'], ...given]);
}
