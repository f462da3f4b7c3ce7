import { readFileSync } from 'node:fs';
import { BASE_PATH } from '../../admin/manage/endpoints.ts';
import { firstLine, StartError } from '../start-error.ts';

/** Options besides those of every command. */
export const COMMAND_OPTIONS = {
  account: { type: 'string' },
  user: { type: 'string' },
  bucket: { type: 'string', multiple: true },
  prefix: { type: 'string' },
  'read-only': { type: 'boolean' },
  policy: { type: 'string', multiple: true },
  group: { type: 'string', multiple: true },
  'whole-account': { type: 'boolean' },
  settings: { type: 'string' },
  file: { type: 'string' },
  'secret-file': { type: 'string' },
  'object-lock': { type: 'boolean' },
  backend: { type: 'string' },
  bytes: { type: 'string' },
  objects: { type: 'string' },
} as const;

type OptionName = keyof typeof COMMAND_OPTIONS;

/** What was said of the options of a command. */
type CommandValues = Readonly<Partial<Record<OptionName, string | boolean | readonly (string | boolean)[]>>>;

/** What a command asks the admin port. */
export interface AdminRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** With the query. */
  readonly path: string;
  readonly body?: object;
}

interface AdminCommand {
  /** What it is called with, for the usage. */
  readonly usage: string;
  /** Whether it has a name as its argument; `maybe`: it may have one. */
  readonly named: boolean | 'maybe';
  readonly options: readonly OptionName[];
  /** @param name empty: none was given @throws StartError */
  request(name: string, values: CommandValues): AdminRequest;
}

/** All commands, by their two words. */
export const COMMANDS: Readonly<Record<string, AdminCommand>> = {
  'bucket create': {
    usage: 'NAME --account ACCOUNT [--object-lock] [--backend BACKEND]',
    named: true,
    options: ['account', 'object-lock', 'backend'],
    request: (name, values) => ({
      method: 'PUT',
      path: bucketPath(name),
      body: {
        account: needed(values, 'account'),
        ...(values['object-lock'] === true && { objectLock: true }),
        ...(values.backend !== undefined && { backend: values.backend }),
      },
    }),
  },
  'bucket show': {
    usage: 'NAME',
    named: true,
    options: [],
    request: (name) => ({ method: 'GET', path: bucketPath(name) }),
  },
  'bucket list': {
    usage: '[--prefix PREFIX]',
    named: false,
    options: ['prefix'],
    request: (_, { prefix }) => ({
      method: 'GET',
      path: pathOf('buckets', { limit: '1000', ...(typeof prefix === 'string' && { prefix }) }),
    }),
  },
  'bucket delete': {
    usage: 'NAME',
    named: true,
    options: [],
    request: (name) => ({ method: 'DELETE', path: bucketPath(name) }),
  },
  'user create': {
    usage:
      'NAME --account ACCOUNT [--bucket PATTERN]... [--prefix PREFIX] [--read-only] [--policy NAME]... [--group NAME]... | --whole-account | --settings FILE',
    named: true,
    options: ['account', 'bucket', 'prefix', 'read-only', 'policy', 'group', 'whole-account', 'settings'],
    request: (name, values) => ({ method: 'PUT', path: userPath(values, name), body: userSettings(values) }),
  },
  'user show': onUser('GET'),
  'user list': {
    usage: '--account ACCOUNT',
    named: false,
    options: ['account'],
    request: (_, values) => ({ method: 'GET', path: `${accountPath(values)}/users` }),
  },
  'user delete': onUser('DELETE'),
  'key create': {
    usage: '[ID --secret-file FILE] --account ACCOUNT --user USER',
    named: 'maybe',
    options: ['account', 'user', 'secret-file'],
    request(name, values) {
      const keys = keysPath(values);
      if (name === '') return { method: 'POST', path: keys };
      const secretAccessKey = textIn(needed(values, 'secret-file'), 'secret-file').trim();
      return { method: 'PUT', path: `${keys}/${encodeURIComponent(name)}`, body: { secretAccessKey } };
    },
  },
  'key list': {
    usage: '--account ACCOUNT --user USER',
    named: false,
    options: ['account', 'user'],
    request: (_, values) => ({ method: 'GET', path: keysPath(values) }),
  },
  'key delete': {
    usage: 'ID --account ACCOUNT --user USER',
    named: true,
    options: ['account', 'user'],
    request: (name, values) => ({ method: 'DELETE', path: `${keysPath(values)}/${encodeURIComponent(name)}` }),
  },
  'policy put': {
    usage: 'NAME --account ACCOUNT --file FILE',
    named: true,
    options: ['account', 'file'],
    request: (name, values) => ({
      method: 'PUT',
      path: policyPath(values, name),
      body: jsonIn(needed(values, 'file'), 'file'),
    }),
  },
  'policy show': onPolicy('GET'),
  'policy list': {
    usage: '--account ACCOUNT',
    named: false,
    options: ['account'],
    request: (_, values) => ({ method: 'GET', path: `${accountPath(values)}/policies` }),
  },
  'policy delete': onPolicy('DELETE'),
  'quota set': {
    usage: '--account ACCOUNT | --bucket BUCKET [--bytes N] [--objects N]',
    named: false,
    options: ['account', 'bucket', 'bytes', 'objects'],
    request: (_, values) => ({
      method: 'PUT',
      path: quotaPath(values),
      body: { ...numberIn(values, 'bytes'), ...numberIn(values, 'objects') },
    }),
  },
  'quota show': onQuota('GET'),
  'quota remove': onQuota('DELETE'),
  usage: { usage: '', named: false, options: [], request: () => ({ method: 'GET', path: '/api/usage' }) },
};

function onUser(method: 'GET' | 'DELETE'): AdminCommand {
  return {
    usage: 'NAME --account ACCOUNT',
    named: true,
    options: ['account'],
    request: (name, values) => ({ method, path: userPath(values, name) }),
  };
}

function onPolicy(method: 'GET' | 'DELETE'): AdminCommand {
  return {
    usage: 'NAME --account ACCOUNT',
    named: true,
    options: ['account'],
    request: (name, values) => ({ method, path: policyPath(values, name) }),
  };
}

function onQuota(method: 'GET' | 'DELETE'): AdminCommand {
  return {
    usage: '--account ACCOUNT | --bucket BUCKET',
    named: false,
    options: ['account', 'bucket'],
    request: (_, values) => ({ method, path: quotaPath(values) }),
  };
}

function pathOf(path: string, query: Readonly<Record<string, string>> = {}): string {
  const text = new URLSearchParams(query).toString();
  return `${BASE_PATH}/${path}${text === '' ? '' : `?${text}`}`;
}

function bucketPath(name: string): string {
  return pathOf(`buckets/${encodeURIComponent(name)}`);
}

function accountPath(values: CommandValues): string {
  return pathOf(`accounts/${encodeURIComponent(needed(values, 'account'))}`);
}

function userPath(values: CommandValues, name: string): string {
  return `${accountPath(values)}/users/${encodeURIComponent(name)}`;
}

function keysPath(values: CommandValues): string {
  return `${userPath(values, needed(values, 'user'))}/keys`;
}

function policyPath(values: CommandValues, name: string): string {
  return `${accountPath(values)}/policies/${encodeURIComponent(name)}`;
}

function quotaPath(values: CommandValues): string {
  const [bucket, ...more] = listOf(values.bucket);
  if (more.length > 0 || (bucket === undefined) === (values.account === undefined)) {
    throw new StartError(['expected one of --account, --bucket']);
  }
  return bucket === undefined ? `${accountPath(values)}/quota` : `${bucketPath(bucket)}/quota`;
}

/** In the terms of the accounts file. */
function userSettings(values: CommandValues): object {
  const { settings, prefix } = values;
  if (typeof settings === 'string') {
    const others = ['bucket', 'prefix', 'read-only', 'policy', 'group', 'whole-account'] as const;
    const other = others.find((option) => values[option] !== undefined);
    if (other !== undefined) throw new StartError([`--${other}: expected no other options beside --settings`]);
    return jsonIn(settings, 'settings');
  }
  const [buckets, policies, groups] = [values.bucket, values.policy, values.group].map(listOf);
  return {
    ...(buckets?.length && { buckets }),
    ...(prefix !== undefined && { prefix }),
    ...(values['read-only'] === true && { readOnly: true }),
    ...(policies?.length && { policies }),
    ...(groups?.length && { groups }),
    ...(values['whole-account'] === true && { policy: 'account' }),
  };
}

function listOf(value: CommandValues[OptionName]): string[] {
  return [value].flat().filter((one) => typeof one === 'string');
}

/** @throws StartError */
function needed(values: CommandValues, option: OptionName): string {
  const value = values[option];
  if (typeof value !== 'string' || value === '') throw new StartError([`--${option}: expected a value`]);
  return value;
}

/** @throws StartError */
function numberIn(values: CommandValues, option: 'bytes' | 'objects'): object {
  if (values[option] === undefined) return {};
  const text = needed(values, option);
  if (!/^\d{1,15}$/.test(text)) throw new StartError([`--${option}: expected a number, got ${text}`]);
  return { [option]: Number(text) };
}

/** @throws StartError */
function jsonIn(file: string, option: OptionName): object {
  try {
    const found: unknown = JSON.parse(textIn(file, option));
    if (typeof found === 'object' && found !== null) return found;
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError([`--${option}: ${file} is no JSON (${firstLine(error)})`], error);
  }
  throw new StartError([`--${option}: ${file} holds no JSON object`]);
}

/** @throws StartError */
function textIn(file: string, option: OptionName): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError([`--${option}: ${file} cannot be read`], error);
  }
}
