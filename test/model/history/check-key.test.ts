import { describe, expect, it } from 'vitest';
import { checkKey } from './check-key.ts';
import type { Event } from './event.ts';
import { UNKNOWN, at, event, get, put, remove, removeVersion } from './events.ts';
import { NO_BUCKET } from './register.ts';

const IF_NONE = { kind: 'absent' } as const;
const ifMatch = (writer: string) => ({ kind: 'etag', etag: `etag-${writer}` }) as const;
const unversioned = { modes: ['never'] } as const;
const whole = (began: number, ...versions: string[]): Event =>
  event(
    at(began, began + 1),
    { kind: 'readHistory' },
    {
      kind: 'history',
      versions: versions.map((line) => {
        const [versionId = '', writer = ''] = line.split('=');
        return { versionId, marker: writer === 'MARKER', ...(writer !== 'MARKER' && { writers: [writer] }) };
      }),
    },
  );

const GOOD: Readonly<Record<string, readonly Event[]>> = {
  'a write without an answer of which only tags and its end told': [
    put('a', at(1, Infinity), { outcome: UNKNOWN }),
    event(at(3, 4), { kind: 'amend', aspect: 'tags', value: 't' }, { kind: 'done', versionId: '1' }),
    removeVersion(at(5, 6), '1'),
    whole(7),
  ],
  'a write without an answer, seen under an ETag that two may have, and deleted': [
    put('a', at(1, 2), { versionId: '1' }),
    put('b', at(3, Infinity), { outcome: UNKNOWN }),
    event(at(5, 6), { kind: 'read' }, { kind: 'shown', writers: ['a', 'b'], versionId: '2' }),
    removeVersion(at(7, 8), '2'),
    whole(9, '1=a'),
  ],
  'a write without an answer, which a condition meets, and which a rule removes by the id that it alone has seen': [
    put('a', at(1, Infinity), { outcome: UNKNOWN }),
    put('b', at(3, 4), { condition: ifMatch('b'), outcome: { kind: 'conditionFailed' } }),
    removeVersion(at(5, 6), '1'),
    whole(9),
  ],
  'a hold whose taking off nobody heard of, and the deletion that shows it': [
    put('a', at(1, 2), { versionId: '1' }),
    event(at(3, 4), { kind: 'amend', aspect: 'hold', value: 'ON h', versionId: '1' }, { kind: 'done' }),
    event(at(5, Infinity), { kind: 'amend', aspect: 'hold', value: 'OFF h', versionId: '1' }, UNKNOWN),
    removeVersion(at(6, 7), '1'),
  ],
  'nothing at all': [],
  'a read of what was put': [put('a', at(1, 2)), get(at(3, 4), 'a')],
  'a read beside a write sees it or not': [
    put('a', at(1, 2)),
    put('b', at(3, 9)),
    get(at(4, 5), 'a'),
    get(at(6, 7), 'b'),
  ],
  'an unanswered write is seen at once': [
    put('a', at(1, Infinity), { outcome: UNKNOWN, ...unversioned }),
    get(at(3, 4), 'a'),
  ],
  'an unanswered write is seen much later': [
    put('a', at(1, Infinity), { outcome: UNKNOWN, ...unversioned }),
    get(at(3, 4), undefined),
    get(at(5, 6), 'a'),
  ],
  'an unanswered write is never seen': [
    put('a', at(1, Infinity), { outcome: UNKNOWN, ...unversioned }),
    get(at(3, 4), undefined),
  ],
  'an unanswered write lands at the last moment': [
    put('a', at(1, 2)),
    put('b', at(3, 8), { outcome: UNKNOWN, ...unversioned }),
    get(at(4, 5), 'a'),
    get(at(9, 10), 'b'),
    get(at(11, 12), 'b'),
  ],
  'two writes of which the later by time comes first': [put('a', at(1, 9)), put('b', at(2, 8)), get(at(10, 11), 'a')],
  'a condition that held': [put('a', at(1, 2)), put('b', at(3, 4), { condition: ifMatch('a') }), get(at(5, 6), 'b')],
  'a condition that failed': [
    put('a', at(1, 2)),
    put('b', at(3, 4), { condition: IF_NONE, outcome: { kind: 'conditionFailed' } }),
    get(at(5, 6), 'a'),
  ],
  '412 because of an unanswered write': [
    put('a', at(1, Infinity), { outcome: UNKNOWN, ...unversioned }),
    put('b', at(3, 4), { condition: IF_NONE, outcome: { kind: 'conditionFailed' } }),
  ],
  'If-Match on nothing': [put('b', at(3, 4), { condition: ifMatch('a'), outcome: { kind: 'absent' } })],
  'DELETE If-Match on nothing': [
    event(at(1, 2), { kind: 'delete', modes: ['never'], condition: ifMatch('a') }, { kind: 'done' }),
    get(at(3, 4), undefined),
  ],
  'versions in their order': [
    put('a', at(1, 2), { versionId: '1' }),
    put('b', at(3, 4), { versionId: '2' }),
    remove('d', at(5, 6), '3'),
    whole(9, '3=MARKER', '2=b', '1=a'),
  ],
  'a marker deleted by its id brings the object back': [
    put('a', at(1, 2), { versionId: '1' }),
    remove('d', at(3, 4), '2'),
    get(at(5, 6), undefined),
    removeVersion(at(7, 8), '2'),
    get(at(9, 10), 'a'),
  ],
  'a DELETE with a condition on nothing': [
    event(at(1, 2), { kind: 'delete', modes: ['enabled'], condition: ifMatch('a') }, { kind: 'done' }),
    get(at(3, 4), undefined),
  ],
  'a marker of a DELETE without an answer': [
    put('a', at(1, 2), { versionId: '1' }),
    event(at(3, Infinity), { kind: 'delete', modes: ['enabled'] }, UNKNOWN),
    whole(9, '7=MARKER', '1=a'),
  ],
  'a copy whose answer began before its version was known': [
    put('a', at(1, 9), { outcome: { kind: 'done', untold: true } }),
    put('b', at(3, 4), { versionId: '2' }),
    whole(10, '2=b', '1=a'),
  ],
  'a null version is replaced': [
    put('a', at(1, 2)),
    put('b', at(3, 4), { versionId: '1' }),
    put('c', at(5, 6)),
    whole(9, 'null=c', '1=b'),
  ],
  'a version being deleted is still read by its id': [
    put('a', at(1, 2), { versionId: '1' }),
    removeVersion(at(3, 9), '1'),
    get(at(4, 5), undefined),
    get(at(6, 7), 'a', '1'),
  ],
  'a version whose deletion was not answered is read by its id for as long as nobody says that it is gone': [
    put('a', at(1, 2), { versionId: '1' }),
    event(at(3, 20), { kind: 'deleteVersion', versionId: '1' }, UNKNOWN),
    get(at(4, 5), undefined),
    get(at(6, 7), 'a', '1'),
    removeVersion(at(21, 25), '1'),
    get(at(23, 24), 'a', '1'),
    get(at(26, 27), undefined, '1'),
  ],
  'an upload takes its place from its initiation': [
    put('a', at(1, 9), { versionId: '1' }),
    put('b', at(3, 4), { versionId: '2' }),
    whole(10, '2=b', '1=a'),
  ],
};

const BAD: Readonly<Record<string, readonly Event[]>> = {
  'DELETE If-Match of what is another object by then': [
    put('a', at(1, 2), unversioned),
    put('b', at(3, 4), unversioned),
    event(at(5, 6), { kind: 'delete', modes: ['never'], condition: ifMatch('a') }, { kind: 'done' }),
  ],
  'a version that nobody made, under an ETag that two may have': [
    put('a', at(1, 2), { versionId: '1' }),
    put('b', at(3, 4), { versionId: '3' }),
    event(at(5, 6), { kind: 'read' }, { kind: 'shown', writers: ['a', 'b'], versionId: '2' }),
    whole(9, '3=b', '1=a'),
  ],
  'a lost write': [put('a', at(1, 2)), get(at(3, 4), undefined)],
  'an old read': [put('a', at(1, 2)), put('b', at(3, 4)), get(at(5, 6), 'a')],
  'there and back again': [put('a', at(1, 2)), put('b', at(3, 9)), get(at(4, 5), 'b'), get(at(6, 7), 'a')],
  'a write that was refused is read': [
    put('a', at(1, 2), { condition: ifMatch('x'), outcome: { kind: 'absent' } }),
    get(at(3, 4), 'a'),
  ],
  'an unanswered write takes effect twice': [
    put('a', at(1, Infinity), { outcome: UNKNOWN, ...unversioned }),
    get(at(3, 4), 'a'),
    put('b', at(5, 6)),
    get(at(7, 8), 'b'),
    get(at(9, 10), 'a'),
  ],
  'what can land no more lands': [
    put('a', at(1, 4), { outcome: UNKNOWN, ...unversioned }),
    put('b', at(5, 6)),
    get(at(7, 8), 'b'),
    get(at(9, 10), 'a'),
  ],
  'two creators': [put('a', at(1, 9), { condition: IF_NONE }), put('b', at(2, 8), { condition: IF_NONE })],
  'two who replaced the same object': [
    put('a', at(1, 2)),
    put('b', at(3, 9), { condition: ifMatch('a') }),
    put('c', at(4, 8), { condition: ifMatch('a') }),
  ],
  '412 without a reason': [put('b', at(3, 4), { condition: IF_NONE, outcome: { kind: 'conditionFailed' } })],
  'a write entered below one that was conditional on the state before': [
    put('a', at(1, 2), { versionId: '1' }),
    put('late', at(3, 9), { versionId: '2' }),
    put('c', at(4, 5), { condition: ifMatch('a'), versionId: '3' }),
    whole(10, '3=c', '2=late', '1=a'),
  ],
  'an acknowledged version is not in the history': [
    put('a', at(1, 2), { versionId: '1' }),
    put('b', at(3, 4), { versionId: '2' }),
    whole(9, '2=b'),
  ],
  'a copy whose version was not told is not in the history': [
    put('a', at(1, 9), { outcome: { kind: 'done', untold: true } }),
    put('b', at(3, 4), { versionId: '2' }),
    whole(10, '2=b'),
  ],
  'a version comes back': [
    put('a', at(1, 2), { versionId: '1' }),
    removeVersion(at(3, 4), '1'),
    get(at(5, 6), 'a', '1'),
  ],
  'a version is read by its id after its deletion was repeated, and that was answered': [
    put('a', at(1, 2), { versionId: '1' }),
    event(at(3, 20), { kind: 'deleteVersion', versionId: '1' }, UNKNOWN),
    get(at(4, 5), undefined),
    removeVersion(at(6, 7), '1'),
    get(at(8, 9), 'a', '1'),
  ],
  'versions in the wrong order': [
    put('a', at(1, 2), { versionId: '1' }),
    put('b', at(3, 4), { versionId: '2' }),
    whole(9, '1=a', '2=b'),
  ],
  'a write made twice': [put('a', at(1, 2), { versionId: '1' }), whole(9, '2=a', '1=a')],
  'a marker of nobody': [put('a', at(1, 2), { versionId: '1' }), whole(9, '7=MARKER', '1=a')],
  'a DELETE with a condition that held removes nothing': [
    put('a', at(1, 2)),
    event(at(3, 4), { kind: 'delete', modes: ['never'], condition: ifMatch('a') }, { kind: 'done' }),
    get(at(5, 6), 'a'),
  ],
  'a tag that is lost': [
    put('a', at(1, 2), { versionId: '1' }),
    event(at(3, 4), { kind: 'amend', aspect: 'tags', value: 't', versionId: '1' }, { kind: 'done' }),
    event(at(5, 6), { kind: 'readAspect', aspect: 'tags', versionId: '1' }, { kind: 'aspect', value: undefined }),
  ],
  'a version deleted although it is held': [
    put('a', at(1, 2), { versionId: '1' }),
    event(at(3, 4), { kind: 'amend', aspect: 'hold', value: 'ON h', versionId: '1' }, { kind: 'done' }),
    removeVersion(at(5, 6), '1'),
  ],
};

describe('the checker of one key', () => {
  it.each(Object.entries(GOOD))('takes for right: %s', (_name, events) => {
    expect(checkKey(events)).toEqual({ kind: 'right' });
  });

  it.each(Object.entries(BAD))('finds: %s', (_name, events) => {
    expect(checkKey(events).kind).toBe('wrong');
  });

  it('says how far it came and what fits nowhere', () => {
    const verdict = checkKey([put('a', at(1, 2)), get(at(3, 4), undefined)]);
    expect(verdict).toMatchObject({
      why: expect.stringMatching(/\[1\.\.2\] a: put[^]*null=a[^]*none of these[^]*read -> absent/) as unknown,
    });
  });

  it('says that it does not know, rather than run for ever', () => {
    const many = Array.from({ length: 16 }, (_, index) => put(`w${index}`, at(1, 100), unversioned));
    expect(checkKey([...many, get(at(101, 102), 'nobody')], { budget: 2000 }).kind).toBe('undecided');
  });
});

describe('the checker of a key that many left without waiting for an answer', () => {
  const budget = 2000;
  const left = (name: string, began: number): Event =>
    event(at(began, Infinity), { kind: 'delete', modes: ['enabled'] }, UNKNOWN, name);
  const puts = [put('a', at(1, 2), { versionId: '1' }), put('b', at(50, 51), { versionId: '2' })];
  const deletes = Array.from({ length: 12 }, (_, index) => left(`d${index}`, 3 + index));
  const markers = ['m6', 'm5', 'm4', 'm3', 'm2', 'm1'].map((id) => `${id}=MARKER`);
  const unseen = Array.from({ length: 12 }, (_, index) =>
    put(`w${index}`, at(3, Infinity), { outcome: UNKNOWN, ...unversioned }),
  );

  it('takes whichever DELETE for the one that made a marker', () => {
    expect(checkKey([...puts, ...deletes, whole(90, '2=b', ...markers, '1=a')], { budget })).toEqual({ kind: 'right' });
    expect(checkKey([...puts, ...deletes, whole(90, ...markers, '2=b', '1=a')], { budget })).toEqual({ kind: 'right' });
  });

  it('finds that there are more markers than DELETEs', () => {
    expect(checkKey([...puts, ...deletes.slice(7), whole(90, '2=b', ...markers, '1=a')], { budget }).kind).toBe(
      'wrong',
    );
  });

  it('finds that a DELETE began after what stands above its marker', () => {
    const late = deletes.map((one) => ({ ...one, began: 52 }));
    expect(checkKey([...puts, ...late, whole(90, '2=b', ...markers, '1=a')], { budget }).kind).toBe('wrong');
  });

  it('takes a PUT that nobody saw for any other of them', () => {
    const exists = put('x', at(20, 21), { condition: IF_NONE, outcome: { kind: 'conditionFailed' } });
    expect(checkKey([...unseen, exists], { budget })).toEqual({ kind: 'right' });
    const twice = [put('c', at(60, 61), unversioned), get(at(62, 63), 'nobody')];
    expect(checkKey([...unseen, ...twice], { budget }).kind).toBe('wrong');
  });

  it('finds that what was seen came too late for an answer before', () => {
    const seen = put('s', at(3, Infinity), { outcome: UNKNOWN, ...unversioned });
    const others = [...unseen, seen, get(at(10, 11), 's')];
    expect(checkKey([...others, get(at(12, 13), 's')], { budget })).toEqual({ kind: 'right' });
    const overwritten = [put('c', at(14, 15), unversioned), get(at(16, 17), 'c'), get(at(18, 19), 's')];
    expect(checkKey([...others, ...overwritten], { budget }).kind).toBe('wrong');
  });

  it('knows that a version which the whole history shows was not deleted before', () => {
    const remover = event(at(3, Infinity), { kind: 'deleteVersion', versionId: '1' }, UNKNOWN);
    const history = [...puts, remover, whole(90, '2=b', '1=a')];
    expect(checkKey([...history, get(at(95, 96), 'a', '1')], { budget })).toEqual({ kind: 'right' });
    expect(checkKey([...history, get(at(60, 61), undefined, '1')], { budget }).kind).toBe('wrong');
  });
});

describe('the life of a bucket', () => {
  const by = (account: string, one: Event): Event => ({ ...one, account });
  const created = (account: string, began: number): Event =>
    by(account, event(at(began, began + 1), { kind: 'createBucket' }, { kind: 'done' }));
  const removed = (account: string, began: number): Event =>
    by(account, event(at(began, began + 1), { kind: 'deleteBucket' }, { kind: 'done' }));
  const isRight = (...events: Event[]): boolean => checkKey(events, { start: NO_BUCKET }).kind === 'right';

  it("is right when it is empty at its end and its objects are its owner's", () => {
    expect(
      isRight(
        created('A', 1),
        by('A', put('a', at(3, 4))),
        by('A', removeVersion(at(5, 6), 'null')),
        removed('A', 7),
        created('B', 9),
        by('B', get(at(11, 12), undefined)),
      ),
    ).toBe(true);
    expect(
      isRight(created('A', 1), removed('A', 3), by('A', event(at(5, 6), { kind: 'read' }, { kind: 'noBucket' }))),
    ).toBe(true);
  });

  it('is wrong when an acknowledged object went with it', () => {
    expect(isRight(created('A', 1), by('A', put('a', at(3, 9))), removed('A', 10))).toBe(false);
  });

  it('is wrong when a write of the former owner lands in the next one', () => {
    expect(
      isRight(
        created('A', 1),
        by('A', put('a', at(3, 19))),
        removed('A', 5),
        created('B', 9),
        by('B', get(at(21, 22), 'a')),
      ),
    ).toBe(false);
    expect(
      isRight(
        created('A', 1),
        by('A', put('a', at(3, Infinity), { outcome: UNKNOWN, ...unversioned })),
        removed('A', 5),
        created('B', 9),
        by('B', get(at(21, 22), 'a')),
      ),
    ).toBe(false);
  });

  it('is wrong when it is gone although nobody deleted it', () => {
    expect(isRight(created('A', 1), by('A', event(at(5, 6), { kind: 'read' }, { kind: 'noBucket' })))).toBe(false);
  });
});
