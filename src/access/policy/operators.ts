import { BlockList, isIP } from 'node:net';
import { isCalendarDay } from '../../protocol/http-date.ts';
import { compileArnPattern } from './arn-pattern.ts';
import type { ConditionKeys } from './context.ts';
import { compilePattern } from './pattern.ts';

/** Whether one value of a request fits one value of a condition. */
export type Test = (given: string, keys: ConditionKeys) => boolean;

export interface Operator {
  readonly negated: boolean;
  /** @returns undefined for a value that the operator cannot take */
  compile(wanted: string, options: { readonly variables: boolean }): Test | undefined;
}

type Compile = Operator['compile'];

const equals =
  (ignoreCase: boolean): Compile =>
  (wanted, { variables }) => {
    const pattern = compilePattern(wanted, { variables, ignoreCase, literal: true });
    return (given, keys) => pattern.matches(given, keys);
  };

const like: Compile = (wanted, { variables }) => {
  const pattern = compilePattern(wanted, { variables });
  return (given, keys) => pattern.matches(given, keys);
};

const arn: Compile = (wanted, { variables }) => {
  const pattern = compileArnPattern(wanted, { variables });
  return (given, keys) => pattern.matches(given, keys);
};

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

/** Longer texts are neither numbers nor dates. */
const LONGEST = 64;

/** One number of a request is held against all values of a condition. */
let lastNumber: { readonly text: string; readonly value: number | undefined } = { text: '', value: undefined };

function readNumber(text: string): number | undefined {
  if (text !== lastNumber.text) lastNumber = { text, value: parseNumber(text) };
  return lastNumber.value;
}

function parseNumber(text: string): number | undefined {
  return text.length <= LONGEST && NUMBER.test(text.trim()) ? Number(text) : undefined;
}

const DATE = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?)?)?$/;

const DAY = 'YYYY-MM-DD';

/** The time of day is asked for by all requests of a moment, and by all statements about one. */
let lastDate: { readonly text: string; readonly time: number | undefined } = { text: '', time: undefined };

function readDate(text: string): number | undefined {
  if (text !== lastDate.text) lastDate = { text, time: parseDate(text) };
  return lastDate.time;
}

/** W3C profile of ISO 8601, or seconds since 1970. @returns milliseconds */
function parseDate(text: string): number | undefined {
  if (text.length > LONGEST) return undefined;
  if (/^-?\d{5,}$/.test(text)) return Number(text) * 1000;
  if (!DATE.test(text)) return undefined;
  if (text.length >= DAY.length && !isCalendarDay(text.slice(0, DAY.length))) return undefined;
  const zoned = text.includes('T') && !/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? `${text}Z` : text;
  const time = Date.parse(zoned);
  return Number.isNaN(time) ? undefined : time;
}

function ordered(
  read: (text: string) => number | undefined,
  holds: (given: number, wanted: number) => boolean,
): Compile {
  return (text) => {
    const wanted = read(text);
    if (wanted === undefined) return undefined;
    return (value) => {
      const given = read(value);
      return given !== undefined && holds(given, wanted);
    };
  };
}

const ORDERS = {
  Equals: (given: number, wanted: number) => given === wanted,
  LessThan: (given: number, wanted: number) => given < wanted,
  LessThanEquals: (given: number, wanted: number) => given <= wanted,
  GreaterThan: (given: number, wanted: number) => given > wanted,
  GreaterThanEquals: (given: number, wanted: number) => given >= wanted,
};

const bool: Compile = (text, { variables }) => {
  if (variables && text.includes('${')) return equals(true)(text, { variables });
  const wanted = text.toLowerCase();
  return wanted === 'true' || wanted === 'false'
    ? (given) => given.length === wanted.length && given.toLowerCase() === wanted
    : undefined;
};

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const binary: Compile = (wanted) => (BASE64.test(wanted) ? (given) => given === wanted : undefined);

/** Address or block in CIDR notation. An IPv4 address that came over IPv6 counts as what it is. */
const ipAddress: Compile = (wanted) => {
  const [address = '', prefix, ...more] = wanted.split('/');
  const family = isIP(address);
  const longest = family === 6 ? 128 : 32;
  const bits = prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
  if (family === 0 || more.length > 0 || bits < 0 || bits > longest) return undefined;
  const block = new BlockList();
  block.addSubnet(address, bits, family === 6 ? 'ipv6' : 'ipv4');
  const isInside = (given: string): boolean => {
    const plain = given.replace(/^::ffff:(?=\d+\.)/i, '');
    const kind = isIP(plain);
    return kind === family && block.check(plain, kind === 6 ? 'ipv6' : 'ipv4');
  };
  // A client sends many requests, one after the other.
  let last = { given: '', is: false };
  return (given) => {
    if (given !== last.given) last = { given, is: isInside(given) };
    return last.is;
  };
};

const positive = (compile: Compile): Operator => ({ negated: false, compile });
const negative = (compile: Compile): Operator => ({ negated: true, compile });

function comparisons(type: string, read: (text: string) => number | undefined): [string, Operator][] {
  const orders = Object.entries(ORDERS).map(([name, holds]): [string, Operator] => [
    `${type}${name}`,
    positive(ordered(read, holds)),
  ]);
  return [...orders, [`${type}NotEquals`, negative(ordered(read, ORDERS.Equals))]];
}

/**
 * All operators but `Null`, by name in lower case without quantifier and `IfExists`.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
 */
export const OPERATORS: ReadonlyMap<string, Operator> = new Map(
  (
    [
      ['StringEquals', positive(equals(false))],
      ['StringNotEquals', negative(equals(false))],
      ['StringEqualsIgnoreCase', positive(equals(true))],
      ['StringNotEqualsIgnoreCase', negative(equals(true))],
      ['StringLike', positive(like)],
      ['StringNotLike', negative(like)],
      ...comparisons('Numeric', readNumber),
      ...comparisons('Date', readDate),
      ['Bool', positive(bool)],
      ['BinaryEquals', positive(binary)],
      ['IpAddress', positive(ipAddress)],
      ['NotIpAddress', negative(ipAddress)],
      ['ArnEquals', positive(arn)],
      ['ArnLike', positive(arn)],
      ['ArnNotEquals', negative(arn)],
      ['ArnNotLike', negative(arn)],
    ] satisfies [string, Operator][]
  ).map(([name, operator]) => [name.toLowerCase(), operator]),
);
