import { describe, expect, it } from 'vitest';
import {
  type BucketRecord,
  decodeBucketRecord,
  encodeBucketRecord,
} from '../../../../src/manifest/records/bucket-record.ts';
import {
  RecordFormatError,
  asHead,
  asOwn,
  decodeRecord,
  encodeRecord,
} from '../../../../src/manifest/records/record.ts';
import { decodePart, encodePart } from '../../../../src/manifest/records/upload-part-record.ts';
import { decodeContent, decodeSummary, encodeUpload } from '../../../../src/manifest/records/upload-record.ts';
import { decodeClaim, encodeClaim } from '../../../../src/manifest/versions/upload-claim.ts';
import { tombstoneOf } from '../../../../src/manifest/versions/upload-tombstone.ts';

/** Texts that releases have written; what is on disk is read and written like this for ever. */
const HEADS: Readonly<Record<string, string>> = {
  'inline, least': '{"v":1,"s":1700000000123456}',
  'inline, plain PUT': '{"v":1,"s":1700000000123456,"n":"nonce"}',
  'inline, all':
    '{"v":1,"s":1700000000123456,"t":1700000000000,"e":"e-2","o":"someone","a":["f","r@a","W=abc"],"c":"GLACIER","g":{"contentType":"text/\\u00e4"},"x":"never","w":"/x","m":{"a-b":"q\\ud83d\\ude00\\""},"h":["CRC32","AAAAAA==","COMPOSITE"],"p":{"r":[[1,2,5],[4,1,1]],"h":["a","b","c"]},"tg":[["k","v"],["l",""]],"l":["c",5,0],"key":"tr\\u00fce","n":"n","r":["a","b"],"ad":["1fffffffffffff2aaaaaaaaaaaaaaaaa"],"d":["1ffffffffffffe0bbbbbbbbbbbbbbbbb","1ffffffffffffd8ccccccccccccccccc"],"fl":7,"ov":"ff"}',
  'link, all':
    '{"v":1,"k":"l","s":1700000000123456,"t":1700000000000,"e":"e-2","z":11,"b":"1fffffffffffff2aaaaaaaaaaaaaaaaa","o":"someone","a":["f","r@a","W=abc"],"c":"GLACIER","g":{"contentType":"text/\\u00e4"},"x":"never","w":"/x","m":{"a-b":"q\\ud83d\\ude00\\""},"h":["CRC32","AAAAAA==","COMPOSITE"],"p":{"r":[[1,2,5],[4,1,1]],"h":["a","b","c"]},"tg":[["k","v"],["l",""]],"l":["c",5,0],"key":"tr\\u00fce","n":"n","r":[],"u":1,"st":1,"ls":9,"rv":"\\"0x8\\"","nv":"1ffffffffffffe0bbbbbbbbbbbbbbbbb","ad":["1fffffffffffff2aaaaaaaaaaaaaaaaa"],"d":["1ffffffffffffe0bbbbbbbbbbbbbbbbb"],"fl":7}',
  link: '{"v":1,"k":"l","s":1700000000123456,"e":"e","z":0,"b":"1fffffffffffff2aaaaaaaaaaaaaaaaa","n":"n","r":["x"],"rv":"r","fl":1700000000123456}',
  assembled:
    '{"v":1,"k":"m","s":1700000000123456,"e":"e-1","z":3,"b":"1fffffffffffff2aaaaaaaaaaaaaaaaa","p":{"r":[[1,1,3]]},"n":"n","r":[]}',
  marker:
    '{"v":1,"k":"t","s":1700000000123456,"b":"1fffffffffffff2aaaaaaaaaaaaaaaaa","o":"x","key":"k","n":"n","r":["m"],"u":1,"st":1,"rv":"r","nv":"1ffffffffffffe0bbbbbbbbbbbbbbbbb","ad":["1ffffffffffffd8ccccccccccccccccc"],"d":["1fffffffffffff2aaaaaaaaaaaaaaaaa"],"fl":1}',
  void: '{"v":1,"k":"v","s":1700000000123456,"key":"k","n":"n","r":["m"],"nv":"1ffffffffffffe0bbbbbbbbbbbbbbbbb","d":["1fffffffffffff2aaaaaaaaaaaaaaaaa"],"fl":1}',
  'inline, encrypted':
    '{"v":2,"s":1700000000123456,"e":"e","en":[7,"1fffffffffffff2aaaaaaaaaaaaaaaaa","c","c2FsdA","Y2hlY2s"],"ep":[["0123456789ab",3],["ba9876543210",4]],"n":"n"}',
  'void of the index': '{"v":1,"k":"v","s":1700000000123456}',
};

const OWN: Readonly<Record<string, string>> = {
  'own object':
    '{"v":1,"s":1700000000123456,"t":1700000000000,"e":"e-2","o":"someone","a":["f","r@a","W=abc"],"c":"GLACIER","g":{"contentType":"text/\\u00e4"},"x":"never","w":"/x","m":{"a-b":"q\\ud83d\\ude00\\""},"h":["CRC32","AAAAAA==","COMPOSITE"],"p":{"r":[[1,2,5],[4,1,1]],"h":["a","b","c"]},"tg":[["k","v"],["l",""]],"l":["c",5,0],"key":"tr\\u00fce","r":["a"],"u":1,"st":1,"ls":5,"ov":"00"}',
  'own object, least': '{"v":1,"s":1700000000123456,"st":1}',
  'own marker': '{"v":1,"k":"t","s":1700000000123456,"o":"o","key":"k","u":1,"st":1}',
  holds: '{"v":1,"s":1,"a":[],"l":[null,null,1]}',
  retention: '{"v":1,"s":1,"p":{"r":[]},"l":["g",12,null]}',
};

const UPLOAD = {
  s3gw: '{"v":1,"o":"o","i":["i","d"],"c":"S","h":["CRC32","COMPOSITE"],"k":"k","p":1}',
  body: '{"format":1,"attributes":{"headers":{},"userMetadata":{"a":"b"}},"acl":["f","r@a","W=abc"]}',
};
const ENCRYPTED_UPLOAD = { ...UPLOAD, s3gw: '{"v":2,"o":"o","en":["k","team"]}' };
const PARTS = [
  '{"v":1,"e":"e","d":1,"z":5,"t":4000,"h":["CRC32","v"],"b":["t1","t2"]}',
  '{"v":1,"e":"e","z":5,"t":4000,"b":[]}',
];
const CLAIMS = [
  '{"v":1,"s":"busy","i":"id","a":"a","o":["o","i"],"u":"u","k":"k","h":"h","e":"e","w":"1fffffffffffff2aaaaaaaaaaaaaaaaa","c":["CRC32","v","COMPOSITE"],"br":"r","bn":"n","pl":["1ffffffffffffe0bbbbbbbbbbbbbbbbb"]}',
  '{"v":1,"s":"gone","i":"id","a":"a","o":["o"],"u":"u","k":"k","h":"h","e":"e","w":"null"}',
  '{"v":1,"s":"abort","i":"id","a":"a"}',
];
const TOMBSTONE =
  '{"v":1,"o":["o","i"],"u":"u","k":"k","h":"h","e":"e","w":"1fffffffffffff2aaaaaaaaaaaaaaaaa","c":["CRC32","v","COMPOSITE"]}';
const BUCKET = {
  s3gw: '{"v":1,"s":1,"o":"o","c":"c"}',
  body: '{"format":1,"uid":"u","owner":"o","createdAt":1,"container":"c","versioning":"suspended","versionedSince":2,"settings":{"tags":[{"key":"a","value":"b"}],"acl":["f","r@a","W=abc"],"ownership":"ObjectWriter","objectLock":{}},"owned":true,"state":{"kind":"deleting","id":"x"},"deletingSince":8640000000000000}',
};

describe('what is on disk', () => {
  it.each(Object.entries(HEADS))('a head: %s', (_what, text) => {
    const record = decodeRecord(text);
    expect(record && encodeRecord(asHead(record))).toBe(text);
  });

  it.each(Object.entries(OWN))("a version's own blob: %s", (_what, text) => {
    const record = decodeRecord(text);
    expect(record && encodeRecord(asOwn(record))).toBe(text);
  });

  it('is read as what it says', () => {
    const [least, marker] = [decodeRecord(HEADS['inline, least'] ?? ''), decodeRecord(HEADS['marker'] ?? '')];
    expect(least).toEqual({ kind: 'inline', seq: 1_700_000_000_123_456 });
    expect(marker).toMatchObject({
      kind: 'marker',
      owner: 'x',
      isNull: true,
      stamp: true,
      rev: 'r',
      key: 'k',
      nonce: 'n',
      ring: ['m'],
      floor: 1,
    });
    expect(decodeRecord(OWN['own object'] ?? '')).toMatchObject({
      mtime: 1_700_000_000_000,
      parts: [
        { number: 1, size: 5, checksum: 'a' },
        { number: 2, size: 5, checksum: 'b' },
        { number: 4, size: 1, checksum: 'c' },
      ],
      lock: { retention: { mode: 'COMPLIANCE', until: 5 }, legalHold: false },
      tags: [
        { key: 'k', value: 'v' },
        { key: 'l', value: '' },
      ],
      checksum: { algorithm: 'CRC32', value: 'AAAAAA==', type: 'COMPOSITE' },
      overflow: '00',
    });
  });

  it.each([UPLOAD, ENCRYPTED_UPLOAD])('an upload %s', (upload) => {
    const record = { ...decodeSummary(upload), ...decodeContent(Buffer.from(upload.body)) };
    const { metadata, body } = encodeUpload(record);
    expect({ ...metadata, body: body.toString() }).toEqual(upload);
  });

  it.each(PARTS)('a part %s', (s3gw) => {
    expect(encodePart(decodePart(3, { s3gw }))).toEqual({ s3gw });
  });

  it.each(CLAIMS)('a claim %s', (s3up) => {
    const claim = decodeClaim({ s3up });
    expect(claim && encodeClaim(claim)).toEqual({ s3up });
  });

  it('the note of how an upload ended', () => {
    expect(tombstoneOf({ s3gw: TOMBSTONE })).toMatchObject({
      bucketUid: 'u',
      key: 'k',
      listHash: 'h',
      etag: 'e',
      starter: { ownerId: 'o', initiator: { id: 'i' } },
    });
  });

  it('a bucket', () => {
    const record: BucketRecord = decodeBucketRecord(Buffer.from(BUCKET.body));
    const { metadata, body } = encodeBucketRecord(record);
    expect(metadata).toEqual({ s3gw: BUCKET.s3gw });
    expect(JSON.parse(body.toString())).toEqual(JSON.parse(BUCKET.body));
  });
});

/** Whoever does not know the field would take it for an object without bytes. */
const ENCRYPTED_AS_PLAIN = '{"v":1,"s":1,"en":[7,"1fffffffffffff2aaaaaaaaaaaaaaaaa","k","team"]}';

describe('what this release does not know', () => {
  it.each([
    '{"v":1,"k":"q","s":1}',
    '{"v":1,"k":"constructor","s":1}',
    '{"v":2,"s":1}',
    '{"v":3,"s":1}',
    ENCRYPTED_AS_PLAIN,
  ])('is refused as a record: %s', (text) => {
    expect(() => decodeRecord(text)).toThrow(RecordFormatError);
  });

  it.each([
    '{"v":1,"k":"l","s":1}',
    '{"v":1,"k":"m","s":1,"b":"1fffffffffffff2aaaaaaaaaaaaaaaaa","e":"e"}',
    '{"v":1,"k":"t","s":1}',
  ])('is refused as a head: %s', (text) => {
    const record = decodeRecord(text);
    expect(() => record && asHead(record)).toThrow('cannot be read by this release');
  });

  it.each(['{"v":1,"k":"l","s":1,"b":"1fffffffffffff2aaaaaaaaaaaaaaaaa","e":"e","z":1}', '{"v":1,"k":"v","s":1}'])(
    "is refused on a version's own blob: %s",
    (text) => {
      const record = decodeRecord(text);
      expect(() => record && asOwn(record)).toThrow('cannot be read by this release');
    },
  );

  it.each([
    '{"v":1,"s":"odd","i":"id","a":"a"}',
    '{"v":2,"s":"busy","i":"id","a":"a","u":"u","k":"k","h":"h","e":"e","w":"w"}',
  ])('is refused as a claim: %s', (s3up) => {
    expect(() => decodeClaim({ s3up })).toThrow('cannot be read by this release');
  });

  it('stays behind the fields that are known, whatever its name', () => {
    const text = '{"v":1,"s":1,"n":"n","zz":{"a":[1,"\\u00e4"]},"__proto__":7}';
    const record = decodeRecord(text);
    expect(record && encodeRecord(record)).toBe(text);
    expect(record && encodeRecord({ ...asHead(record), nonce: 'm' })).toBe(text.replace('"n":"n"', '"n":"m"'));
  });
});
