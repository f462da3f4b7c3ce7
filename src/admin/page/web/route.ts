import type { OverviewWindow } from '../../inspector/contract.ts';
import { type Filter, readFilter, writeFilter } from './filter.ts';

/** What the page shows; it stands in the fragment of the address, so that links, reload and Back work. */
export type Route =
  | { readonly view: 'overview'; readonly window: OverviewWindow }
  | BucketsRoute
  | { readonly view: 'requests'; readonly filter: Filter; readonly open?: string }
  | { readonly view: 'object'; readonly bucket: string; readonly key: string }
  | { readonly view: 'timeline'; readonly bucket?: string; readonly key?: string; readonly uploadId?: string };

/** Without a bucket all of them; `after` and `afterVersion`: where this page of names begins. */
export interface BucketsRoute {
  readonly view: 'buckets';
  readonly bucket?: string;
  readonly prefix?: string;
  readonly versions?: 'true';
  readonly after?: string;
  readonly afterVersion?: string;
}

/** `#/requests?bucket=b&open=/api/...`; whatever is not understood is the overview of the last hour. */
export function readRoute(fragment: string): Route {
  const [path, query] = splitOnce(fragment.replace(/^#\/?/, ''), '?');
  const parameters = new URLSearchParams(query);
  const text = (name: string): string | undefined => parameters.get(name) ?? undefined;
  if (path === 'object') return { view: 'object', bucket: text('bucket') ?? '', key: text('key') ?? '' };
  if (path === 'timeline') {
    const [bucket, key, uploadId] = [text('bucket'), text('key'), text('uploadId')];
    return {
      view: 'timeline',
      ...(bucket !== undefined && { bucket }),
      ...(key !== undefined && { key }),
      ...(uploadId !== undefined && { uploadId }),
    };
  }
  if (path === 'buckets') return bucketsRoute(text);
  if (path === 'requests') {
    const open = text('open');
    return {
      view: 'requests',
      filter: readFilter(parameters),
      ...(open !== undefined && isRequestPath(open) && { open }),
    };
  }
  return { view: 'overview', window: text('window') === 'day' ? 'day' : 'hour' };
}

export function writeRoute(route: Route): string {
  if (route.view === 'requests') {
    const parameters = writeFilter(route.filter);
    if (route.open !== undefined) parameters.set('open', route.open);
    return fragment('requests', parameters);
  }
  if (route.view === 'overview') {
    return fragment('overview', new URLSearchParams(route.window === 'day' ? { window: 'day' } : {}));
  }
  const { view, ...fields } = route;
  return fragment(view, new URLSearchParams(Object.entries(fields)));
}

function bucketsRoute(text: (name: string) => string | undefined): BucketsRoute {
  const given = (['bucket', 'prefix', 'after', 'afterVersion'] as const).map((name) => [name, text(name)] as const);
  const fields = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  return { view: 'buckets', ...fields, ...(text('versions') === 'true' && { versions: 'true' }) };
}

/** A link may only make the page read requests: not another site, nor another route of this one. */
function isRequestPath(path: string): boolean {
  return /^\/api\/(?:replicas\/[^/?#]+\/)?requests\/[^/?#]+$/.test(path) && !/\.\.|%2e/i.test(path);
}

function fragment(view: string, parameters: URLSearchParams): string {
  return parameters.size === 0 ? `#/${view}` : `#/${view}?${parameters.toString()}`;
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
