import { createHash } from 'node:crypto';
import type { PeerPrograms } from '../bench/servers/peer-servers.ts';
import { bytesOf, OBJECTS } from './data-set.ts';
import { type Layout, minioGateway, noobaaNamespace } from './layouts.ts';
import { ANEW, type Difference, type SeenObject, STATE_ETAG } from './seen.ts';

interface Common {
  /** For `--only`, and in the results. */
  readonly name: string;
  /** In the table of the page. */
  readonly title: string;
  /** Headings of the page whose commands are run, in this order. */
  readonly sections: readonly string[];
}

/** Another server wrote blobs, and the gateway shows them. */
interface InPlace extends Common {
  readonly kind: 'in place';
  /** A server that is started, or what writes blobs as one does that cannot be. */
  readonly wrote: keyof PeerPrograms | Layout;
  /** The old server keeps tags of objects and policies of buckets. */
  readonly hasTagsAndPolicies: boolean;
  /** Keys that the gateway does not show before the commands have been run. */
  readonly hidden: readonly string[];
  /** What is otherwise when the gateway is started, before any command. */
  readonly adopted: readonly Difference[];
  /** What is otherwise behind the commands. */
  readonly carried: readonly Difference[];
}

/** Objects are copied from an S3 server, in the place of which a second gateway stands. */
interface ByCopy extends Common {
  readonly kind: 'by copy';
  /** The bucket has versions, and all of them are copied. */
  readonly versions: boolean;
  readonly needsMc?: boolean;
  readonly copied: readonly Difference[];
}

export type Migration = InPlace | ByCopy;

const TIME: Difference = { says: 'times of copies are new', becomes: () => ({ modified: ANEW }) };
const sizesOf = ({ key }: SeenObject): readonly number[] => OBJECTS.find(({ Key }) => Key === key)?.sizes ?? [];
const md5Of = (object: SeenObject): string => {
  const hash = createHash('md5');
  for (const [index, size] of sizesOf(object).entries()) hash.update(bytesOf(object.key, index + 1, size));
  return `"${hash.digest('hex')}"`;
};
/** Of servers that answer the ETags of the service. */
const ETAGS: Difference = {
  says: 'ETags are MD5s; those of uploads in parts stand for states of blobs',
  becomes: (object) => ({ etag: sizesOf(object).length === 1 ? md5Of(object) : STATE_ETAG }),
};
const CLASSES: Difference = {
  says: 'what lies in a cool tier is of the class STANDARD, unless [`storageClasses`](../storage-classes.md) says otherwise',
  becomes: () => ({ storageClass: 'STANDARD' }),
};
const NO_CLASS: Difference = {
  says: 'the storage class is STANDARD',
  becomes: () => ({ storageClass: 'STANDARD' }),
};
const NO_EXPIRES: Difference = {
  says: 'no Expires',
  becomes: ({ headers: { ExpiresString: _, ...headers } }) => ({ headers }),
};
const WHOLE_ETAGS: Difference = {
  says: 'uploads in parts have the ETags of how the tool uploads them',
  becomes: (object) => ({ etag: md5Of(object) }),
};
/** rclone's metadata of files. */
const SOURCE_TIMES: Difference = {
  says: 'the time at the source, as user metadata `mtime` and `btime`',
  becomes: ({ metadata, modified }) => {
    const mtime = String(Date.parse(modified) / 1000);
    return { metadata: { ...metadata, mtime, btime: modified.replace('.000Z', 'Z') } };
  },
};
const VERSITY_ETAGS: Difference = {
  says: 'ETags are MD5s; those of large objects and of uploads in parts stand for states of blobs',
  becomes: (object) => ({ etag: ['large.bin', 'parts.bin'].includes(object.key) ? STATE_ETAG : md5Of(object) }),
};
const VERSITY_EXPIRES: Difference = {
  says: 'Expires as user metadata `vgwexpires`',
  becomes: ({ headers: { ExpiresString: expires, ...headers }, metadata }) =>
    expires === undefined ? {} : { headers, metadata: { ...metadata, vgwexpires: expires } },
};
const VERSITY_PARTS: Difference = {
  says: 'of uploads in parts entries `objname` and `mpmetadata` among the user metadata',
  becomes: ({ key, metadata }) =>
    key === 'parts.bin' ? { metadata: { ...metadata, objname: key, mpmetadata: ANEW } } : {},
};
const NO_TAGS: Difference = { says: 'no tags', becomes: () => ({ tags: {} }) };
const MINIO_METADATA: Difference = {
  says: 'names of user metadata, and an entry `md5sum` beside it',
  becomes: ({ metadata, etag }) => ({
    metadata: {
      ...withNames(metadata, (name) => name.replaceAll('_', '__').replaceAll('-', '_')),
      md5sum: etag.replaceAll('"', ''),
    },
  }),
};
const MINIO_ETAGS: Difference = {
  says: 'ETags of large objects and of uploads in parts stand for states of blobs',
  becomes: ({ key, etag }) => ({ etag: ['large.bin', 'parts.bin'].includes(key) ? STATE_ETAG : etag }),
};
const NOOBAA_METADATA: Difference = {
  says: 'user metadata whose names Azure does not take',
  becomes: ({ metadata }) => ({
    metadata:
      'my-key' in metadata ? { rename_my_key: metadata['my-key'] ?? '', rename_key_my_key: 'my-key' } : metadata,
  }),
};
const HIDDEN = ['folder/ends in a dot./x', 'folder/emoji 😀'];

function withNames(metadata: SeenObject['metadata'], nameOf: (name: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [nameOf(name), value]));
}

/** What `npm run test:migrations` runs, in the order of the page. */
export const MIGRATIONS: readonly Migration[] = [
  {
    kind: 'in place',
    name: 's3proxy',
    title: 'S3Proxy, `azureblob-sdk`',
    wrote: 's3proxy',
    hasTagsAndPolicies: false,
    sections: ['Carry over what differs', 'Compare'],
    hidden: HIDDEN,
    adopted: [ETAGS, CLASSES],
    carried: [ETAGS, CLASSES, TIME],
  },
  {
    kind: 'in place',
    name: 'versitygw',
    title: 'versitygw, `azure`',
    wrote: 'versitygw',
    hasTagsAndPolicies: true,
    sections: ['Carry over what differs', 'Carry over tags', 'Carry over settings', 'Compare'],
    hidden: HIDDEN,
    adopted: [VERSITY_ETAGS, VERSITY_EXPIRES, VERSITY_PARTS, NO_TAGS],
    carried: [VERSITY_ETAGS, TIME],
  },
  {
    kind: 'in place',
    name: 'minio-gateway',
    title: "MinIO's gateway, `azure`",
    wrote: minioGateway,
    hasTagsAndPolicies: false,
    sections: [],
    hidden: [],
    adopted: [MINIO_METADATA, MINIO_ETAGS],
    carried: [],
  },
  {
    kind: 'in place',
    name: 'noobaa',
    title: 'NooBaa, namespace buckets',
    wrote: noobaaNamespace,
    hasTagsAndPolicies: false,
    sections: [],
    hidden: [],
    adopted: [NOOBAA_METADATA, NO_TAGS],
    carried: [],
  },
  {
    kind: 'by copy',
    name: 'copy-rclone',
    title: 'any S3 server, by `rclone sync`',
    versions: false,
    sections: ['Current objects, by rclone'],
    copied: [NO_EXPIRES, NO_TAGS, WHOLE_ETAGS, SOURCE_TIMES, TIME],
  },
  {
    kind: 'by copy',
    name: 'copy-mc',
    title: 'any S3 server, by `mc mirror`',
    versions: false,
    needsMc: true,
    sections: ["Current objects, by MinIO's client"],
    copied: [NO_EXPIRES, NO_TAGS, WHOLE_ETAGS, NO_CLASS, TIME],
  },
  {
    kind: 'by copy',
    name: 'copy-versions',
    title: 'any S3 server, with versions',
    versions: true,
    sections: ['With versions'],
    copied: [TIME],
  },
];
