import { type KeptRequest, isFailure, ownTimeMs } from './kept-request.ts';

/** By name; lists are parted by commas. See `RequestFilter` of the inspector's API for what each means. */
export const FILTER_NAMES = [
  'operation',
  'bucket',
  'prefix',
  'key',
  'status',
  'code',
  'identity',
  'slow',
  'errors',
  'requestId',
  'traceId',
  'uploadId',
  'since',
  'before',
] as const;
export type FilterName = (typeof FILTER_NAMES)[number];
export type FilterTexts = Readonly<Partial<Record<FilterName, string | undefined>>>;

/** What a filter says that cannot be understood. */
export class FilterError extends Error {
  constructor(name: string, expected: string) {
    super(`${name}: expected ${expected}`);
    this.name = 'FilterError';
  }
}

export interface RequestMatcher {
  /** All conditions hold. Of a running request those on its end never do. */
  matches(request: KeptRequest): boolean;
  /** Cheap: can a request that came at this time match at all? */
  matchesTime(arrived: number): boolean;
}

type Condition = (request: KeptRequest) => boolean;

/** A condition of each name, made of its text. */
const CONDITIONS: Readonly<
  Record<Exclude<FilterName, 'since' | 'before'>, (text: string, slowMs: number) => Condition>
> = {
  operation: (text) => oneOf(text, ({ operation }) => [operation]),
  bucket:
    (text) =>
    ({ bucket }) =>
      bucket === text,
  prefix:
    (text) =>
    ({ key }) =>
      key?.startsWith(text) === true,
  key:
    (text) =>
    ({ key }) =>
      key === text,
  status: (text) => statusCondition(text),
  code: (text) => oneOf(text, ({ failure }) => [failure?.code]),
  identity: (text) => oneOf(text, identitiesOf),
  slow: (text, slowMs) => slowCondition(text, slowMs),
  errors: (text) => (flag('errors', text) ? isFailure : () => true),
  requestId:
    (text) =>
    ({ id }) =>
      id === text,
  traceId:
    (text) =>
    ({ traceId }) =>
      traceId === text.toLowerCase(),
  uploadId:
    (text) =>
    ({ uploadId }) =>
      uploadId === text,
};

/**
 * @param texts a name without a text filters nothing; an empty text is one that a request may have
 * @param slowMs time from which a request counts as slow when the filter names none
 * @throws FilterError
 */
export function requestMatcher(texts: FilterTexts, slowMs: number): RequestMatcher {
  const since = timeOf('since', texts.since) ?? Number.NEGATIVE_INFINITY;
  const before = timeOf('before', texts.before) ?? Number.POSITIVE_INFINITY;
  const matchesTime = (arrived: number): boolean => arrived >= since && arrived < before;
  const conditions = Object.entries(CONDITIONS).flatMap(([name, condition]) => {
    const text = texts[name as keyof typeof CONDITIONS];
    return text === undefined ? [] : [condition(text, slowMs)];
  });
  return {
    matchesTime,
    matches: (request) => matchesTime(request.arrived) && conditions.every((condition) => condition(request)),
  };
}

function oneOf(text: string, valuesOf: (request: KeptRequest) => readonly (string | undefined)[]): Condition {
  const wanted = new Set(words(text).map((word) => word.toLowerCase()));
  return (request) => valuesOf(request).some((value) => value !== undefined && wanted.has(value.toLowerCase()));
}

function identitiesOf({ auth }: KeptRequest): readonly (string | undefined)[] {
  if (auth === undefined) return [];
  const { account, user, accessKeyId, anonymous } = auth;
  return anonymous === true
    ? ['anonymous']
    : [account, user, accessKeyId, user !== undefined && account !== undefined ? `${account}/${user}` : undefined];
}

function statusCondition(text: string): Condition {
  const tests = words(text).map((word) => {
    if (/^[1-5]xx$/i.test(word)) return (status: number) => Math.floor(status / 100) === Number(word[0]);
    if (/^[1-5]\d\d$/.test(word)) return (status: number) => status === Number(word);
    throw new FilterError('status', 'statuses like 404 and classes like 5xx, parted by commas');
  });
  return ({ endMs, status = 0 }) => endMs !== undefined && tests.some((test) => test(status));
}

function slowCondition(text: string, slowMs: number): Condition {
  if (text === 'false') return () => true;
  const least = text === 'true' ? slowMs : Number(text);
  if (!(least >= 0)) throw new FilterError('slow', 'true, false or milliseconds');
  return (request) => request.endMs !== undefined && ownTimeMs(request) >= least;
}

function flag(name: string, text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new FilterError(name, 'true or false');
  return text === 'true';
}

function timeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const time = Number(text);
  if (!Number.isFinite(time)) throw new FilterError(name, 'milliseconds since 1970');
  return time;
}

function words(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
