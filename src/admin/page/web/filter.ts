import type { RequestFilter } from '../../inspector/contract.ts';

/** One field of the filter bar, as the page shows it. */
export interface FilterField {
  readonly name: keyof RequestFilter;
  readonly label: string;
  readonly example: string;
  /** Short fields stand in the first row. */
  readonly width: 'short' | 'wide';
}

/** In the order in which people narrow things down. `errors` and `slow` are switches beside them. */
export const FILTER_FIELDS: readonly FilterField[] = [
  { name: 'operation', label: 'Operation', example: 'PutObject', width: 'wide' },
  { name: 'bucket', label: 'Bucket', example: 'photos', width: 'short' },
  { name: 'prefix', label: 'Key begins with', example: 'holidays/', width: 'wide' },
  { name: 'status', label: 'Status', example: '403,5xx', width: 'short' },
  { name: 'code', label: 'Error code', example: 'NoSuchKey', width: 'wide' },
  { name: 'identity', label: 'Identity', example: 'anonymous', width: 'short' },
  { name: 'requestId', label: 'Request id', example: 'x-amz-request-id', width: 'wide' },
  { name: 'traceId', label: 'Trace id', example: '32 hex digits', width: 'wide' },
];

const FILTER_NAMES: readonly (keyof RequestFilter)[] = [
  ...FILTER_FIELDS.map(({ name }) => name),
  'key',
  'uploadId',
  'errors',
  'slow',
  'since',
  'before',
];

export type Filter = Readonly<Partial<Record<keyof RequestFilter, string>>>;

/** What an address says of the filter; unknown and empty parameters are left out. */
export function readFilter(parameters: URLSearchParams): Filter {
  const filter: Partial<Record<keyof RequestFilter, string>> = {};
  for (const name of FILTER_NAMES) {
    const value = parameters.get(name);
    if (value !== null && value !== '') filter[name] = value;
  }
  return filter;
}

/** The same as parameters, always in the same order: equal filters give equal text. */
export function writeFilter(filter: Filter): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const name of FILTER_NAMES) {
    const value = filter[name];
    if (value !== undefined && value !== '') parameters.set(name, value);
  }
  return parameters;
}

/** With one field set anew; empty takes it out. */
export function withField(filter: Filter, name: keyof RequestFilter, value: string): Filter {
  return readFilter(writeFilter({ ...filter, [name]: value.trim() === '' ? '' : value }));
}

export function isFiltered(filter: Filter): boolean {
  return writeFilter(filter).size > 0;
}
