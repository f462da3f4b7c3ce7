/**
 * The house's layers, checked by `npm run layers`. Type imports count as imports.
 * A layer may import the layers below it; layers of one rank may not import each other.
 */
const RANKS = [
  ['main'],
  ['gateway', 'admin'],
  ['access-logs', 'inventory'],
  ['operations'],
  ['access'],
  ['manifest'],
  ['store'],
  ['protocol'],
  ['auth'],
  ['errors', 'streams', 'observe'],
];

/** `src/<layer>/...`; main is also the files that stand directly in `src/`. */
const folder = (layer) => (layer === 'main' ? '^src/(main/|[^/]+$)' : `^src/${layer}/`);
const anyOf = (layers) => layers.map(folder).join('|');

const layerRules = RANKS.flatMap((rank, index) =>
  rank.map((layer) => ({
    name: `${layer}-imports-downward`,
    comment: `src/${layer} may import only what stands below it.`,
    severity: 'error',
    from: { path: folder(layer) },
    to: { path: '^src/', pathNot: anyOf([layer, ...RANKS.slice(index + 1).flat()]) },
  })),
);

/**
 * The floors of the manifest, by the same rule: a folder imports the folders below it and no neighbour. The files that
 * stand directly in `src/manifest` put them together.
 */
const FLOORS = [
  [''],
  ['sweep', 'lifecycle', 'usage', 'events', 'inspect'],
  ['passes'],
  ['objects', 'uploads', 'listing', 'buckets'],
  ['versions'],
  ['heads'],
  ['records'],
];
const room = (name) => (name === '' ? '^src/manifest/[^/]+$' : `^src/manifest/${name}/`);
const anyRoom = (names) => names.map(room).join('|');

const floorRules = FLOORS.flatMap((floor, index) =>
  floor.map((name) => ({
    name: `manifest-${name || 'root'}-imports-downward`,
    comment: `src/manifest/${name} may import only what stands below it.`,
    severity: 'error',
    from: { path: room(name) },
    to: { path: '^src/manifest/', pathNot: anyRoom([name, ...FLOORS.slice(index + 1).flat()]) },
  })),
);

/** Packages that belong to some layers only: a backend's client, the HTTP server, a parser. */
const packageRule = (name, packages, homes) => ({
  name,
  severity: 'error',
  from: { path: '^(src|adapters|config)/', pathNot: homes },
  to: { path: packages.map((wanted) => `(^|/)node_modules/${wanted}/`).join('|') },
});

module.exports = {
  forbidden: [
    ...layerRules,
    ...floorRules,
    {
      name: 'known-layers',
      comment: 'Every folder of src is one of the layers.',
      severity: 'error',
      from: {},
      to: { path: '^src/', pathNot: anyOf(RANKS.flat()) },
    },
    {
      name: 'known-floors',
      comment: 'Every folder of the manifest is one of its floors.',
      severity: 'error',
      from: {},
      to: { path: '^src/manifest/', pathNot: anyRoom(FLOORS.flat()) },
    },
    {
      name: 'one-door-of-the-manifest',
      comment: 'Layers above import src/manifest/index.ts and no other file of the manifest. Tests may look inside.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/manifest/' },
      to: { path: '^src/manifest/', pathNot: '^src/manifest/index[.]ts$' },
    },
    {
      name: 'adapters-know-no-s3',
      comment: 'Adapters implement the port and import only it, streams and observe.',
      severity: 'error',
      from: { path: '^adapters/' },
      to: { path: '^(src|config|test)/', pathNot: '^src/(store|streams|observe)/' },
    },
    {
      name: 'one-adapter-knows-no-other',
      comment: 'An adapter knows no double either. A double may know the adapter that will call it.',
      severity: 'error',
      from: { path: '^adapters/([^/]+)/', pathNot: '^adapters/doubles/' },
      to: { path: '^adapters/', pathNot: '^adapters/($1|shared)/' },
    },
    {
      name: 'adapters-are-chosen-by-main',
      severity: 'error',
      from: { path: '^(src|config)/', pathNot: folder('main') },
      to: { path: '^adapters/' },
    },
    {
      name: 'config-stands-alone',
      severity: 'error',
      from: { path: '^config/' },
      to: { path: '^(src|adapters|test)/' },
    },
    {
      name: 'config-is-read-by-main',
      comment: 'Everything below main gets its settings as arguments.',
      severity: 'error',
      from: { path: '^(src|adapters)/', pathNot: folder('main') },
      to: { path: '^config/' },
    },
    {
      name: 'nothing-imports-tests',
      severity: 'error',
      from: { path: '^(src|adapters|config)/' },
      to: { path: '^test/' },
    },
    packageRule('http-server-in-front-only', ['fastify', '@fastify/http-proxy'], '^src/(gateway|admin)/'),
    packageRule('grpc-in-one-place', ['@grpc'], '^src/main/cosi/'),
    {
      name: 'the-cosi-driver-stands-apart',
      comment:
        'It is a client of the admin port, and needs of the gateway what a command needs: its options, a log, HTTP.',
      severity: 'error',
      from: { path: '^src/main/cosi/' },
      to: {
        path: '^(src|adapters|config)/',
        pathNot:
          '^src/(observe|streams)/|^src/admin/manage/contract[.]ts|^src/main/(cosi/|admin-port-options|command-line|log|start-error)',
      },
    },
    packageRule('parquet-in-one-place', ['hyparquet-writer'], '^src/inventory/'),
    packageRule('form-parser-in-protocol-only', ['@fastify/busboy'], '^src/protocol/'),
    packageRule(
      'cloud-clients-in-adapters-only',
      ['@azure', '@google-cloud', 'google-auth-library', 'undici'],
      '^adapters/',
    ),
    packageRule('settings-parsers-in-config-only', ['yaml', 'zod'], '^config/'),
    packageRule('tokens-of-issuers-in-one-place', ['jose'], '^src/access/web-identity/'),
    packageRule('xml-parser-in-protocol-and-adapters-only', ['fast-xml-parser'], '^(src/protocol|adapters)/'),
    {
      name: 'no-development-packages',
      comment: 'What runs in production must be among the dependencies.',
      severity: 'error',
      from: { path: '^(src|adapters|config)/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-unresolvable',
      severity: 'error',
      // Programs of applications run beside packages that the lane fetches.
      from: { pathNot: '^test/applications/programs/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
