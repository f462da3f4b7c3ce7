import { describe, expect, it } from 'vitest';
import { FILTER_FIELDS, isFiltered, readFilter, withField } from '../../../../src/admin/page/web/filter.ts';
import { readRoute, type Route, writeRoute } from '../../../../src/admin/page/web/route.ts';

const ODD = 'a b&c=d#é/../"\'<>%2F';

describe('the address of the page', () => {
  it.each<Route>([
    { view: 'requests', filter: {} },
    { view: 'requests', filter: { bucket: ODD, prefix: ODD, errors: 'true', status: '404,5xx' } },
    { view: 'requests', filter: Object.fromEntries(FILTER_FIELDS.map(({ name }) => [name, `${name} ${ODD}`])) },
    { view: 'requests', filter: { slow: 'true' }, open: '/api/replicas/gateway-1/requests/0A1B' },
    { view: 'overview', window: 'hour' },
    { view: 'overview', window: 'day' },
    { view: 'buckets' },
    { view: 'buckets', after: 'photos' },
    { view: 'buckets', bucket: ODD, prefix: ODD, versions: 'true', after: ODD, afterVersion: ODD },
    { view: 'object', bucket: 'b', key: ODD },
    { view: 'timeline', bucket: 'b', key: ODD },
    { view: 'timeline', uploadId: ODD },
  ])('comes back as it was written: %j', (route) => {
    expect(readRoute(writeRoute(route))).toEqual(route);
  });

  it.each(['#/requests', '#/requests?bucket='])('%j is the whole list', (fragment) => {
    expect(readRoute(fragment)).toEqual({ view: 'requests', filter: {} });
  });

  it.each(['', '#', '#/', '#/elsewhere?x=1', '#/overview?window=year'])(
    '%j is the overview of the last hour',
    (fragment) => {
      expect(readRoute(fragment)).toEqual({ view: 'overview', window: 'hour' });
    },
  );

  it.each([
    'https://evil.example/api/requests/1',
    '//evil.example/api/requests/1',
    '/api/objects/b?key=k',
    '/api/requests/../objects',
    '/api/requests/%2E%2e/objects',
    '/api/requests/1/bundle',
    '/api/requests/1?x',
    '/api/replicas/a/b/requests/1',
    '',
  ])('a link cannot make the page read %j', (open) => {
    expect(readRoute(`#/requests?open=${encodeURIComponent(open)}`)).not.toHaveProperty('open');
  });

  it('a field set to nothing leaves the filter', () => {
    expect(withField({ bucket: 'b', code: 'NoSuchKey' }, 'code', ' ')).toEqual({ bucket: 'b' });
    expect(withField({ bucket: 'b' }, 'prefix', ' a ')).toEqual({ bucket: 'b', prefix: ' a ' });
    expect(isFiltered({})).toBe(false);
    expect(isFiltered({ slow: 'true' })).toBe(true);
  });

  it('unknown parameters are no filter', () => {
    expect(readFilter(new URLSearchParams('bucket=b&scope=own&limit=1&bucket=c'))).toEqual({ bucket: 'b' });
  });
});
