// What `helm test` runs inside the cluster: an object is written, read, listed and deleted with signed requests. Its
// own client, so that it judges the gateway from outside; nothing but Node is needed. Prints a line for each step; ends
// with 1 when one fails.
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { performance } from 'node:perf_hooks';
import { URLSearchParams } from 'node:url';

const env = process.env;
const endpoint = new URL(env.ROUND_TRIP_ENDPOINT);
const region = env.ROUND_TRIP_REGION;
const accessKey = env.ROUND_TRIP_ACCESS_KEY;
const secret = env.ROUND_TRIP_SECRET_FILE
  ? readFileSync(env.ROUND_TRIP_SECRET_FILE, 'utf8').trim()
  : env[env.ROUND_TRIP_SECRET_ENV];
const certificate = env.ROUND_TRIP_CERTIFICATE && readFileSync(env.ROUND_TRIP_CERTIFICATE);
const STEP_WITHIN_MS = 30_000;

const run = randomUUID();
const ownBucket = !env.ROUND_TRIP_BUCKET;
const bucket = env.ROUND_TRIP_BUCKET || `helm-test-${run}`;
const key = `helm-test/${run}`;
const content = Buffer.from(`round trip ${run}\n`);
const object = `/${bucket}/${key}`;

const put = [
  ['put', () => expectStatus(200, 'PUT', object, { body: content })],
  ['get', async () => expect('content', content.toString(), (await expectStatus(200, 'GET', object)).body)],
  [
    'list',
    async () =>
      expectKey((await expectStatus(200, 'GET', `/${bucket}`, { query: { 'list-type': '2', prefix: key } })).body),
  ],
];
const remove = [
  ['delete', () => expectStatus(204, 'DELETE', object)],
  ['get after delete', () => expectStatus(404, 'GET', object)],
];
if (ownBucket) {
  put.unshift(['create bucket', () => expectStatus(200, 'PUT', `/${bucket}`)]);
  remove.push(['delete bucket', () => expectStatus(204, 'DELETE', `/${bucket}`)]);
}

// Cleaned up even when a step before failed.
const done = (await steps(put)) & (await steps(remove));
process.exitCode = done ? 0 : 1;
console.log(done ? 'round trip done' : 'round trip FAILED');

async function steps(list) {
  for (const [name, step] of list) {
    const started = performance.now();
    try {
      await step();
      console.log(`ok   ${name} (${Math.round(performance.now() - started)} ms)`);
    } catch (error) {
      console.log(`FAIL ${name}: ${error.message}`);
      return false;
    }
  }
  return true;
}

async function expectStatus(status, method, path, options = {}) {
  const answer = await send(method, path, options);
  if (answer.status !== status) {
    throw new Error(`${method} ${path}: expected ${status}, got ${answer.status} ${answer.body.slice(0, 500)}`);
  }
  return answer;
}

function expect(what, wanted, got) {
  if (wanted !== got) {
    throw new Error(`${what}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(got.slice(0, 500))}`);
  }
}

function expectKey(listing) {
  if (!listing.includes(`<Key>${key}</Key>`)) throw new Error(`the key is not listed: ${listing.slice(0, 500)}`);
}

function send(method, path, { query = {}, body = Buffer.alloc(0) }) {
  const search = new URLSearchParams(query).toString().replaceAll('+', '%20');
  const headers = sign(method, path, { search, body });
  const trust = certificate && { ca: certificate, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
  const target = { host: endpoint.hostname, port: endpoint.port, path: search ? `${path}?${search}` : path };
  const { request } = endpoint.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const sent = request(
      { ...target, ...trust, method, headers: { ...headers, 'content-length': body.length } },
      (answer) => {
        const chunks = [];
        answer.on('data', (chunk) => chunks.push(chunk)).on('error', reject);
        answer.on('end', () => resolve({ status: answer.statusCode, body: Buffer.concat(chunks).toString() }));
      },
    );
    sent.setTimeout(STEP_WITHIN_MS, () => sent.destroy(new Error(`no answer within ${STEP_WITHIN_MS} ms`)));
    sent.on('error', reject).end(body);
  });
}

/** Signature version 4 over host, date and the hash of the body; paths and queries here need no further encoding. */
function sign(method, path, { search, body }) {
  const now = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `${now.slice(0, 8)}/${region}/s3/aws4_request`;
  const headers = { host: endpoint.host, 'x-amz-content-sha256': sha256(body), 'x-amz-date': now };
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}:${value}\n`)
    .join('');
  const canonical = [method, path, search, lines, names, headers['x-amz-content-sha256']].join('\n');
  const signingKey = scope
    .split('/')
    .reduce((last, part) => createHmac('sha256', last).update(part).digest(), `AWS4${secret}`);
  const signature = createHmac('sha256', signingKey)
    .update(['AWS4-HMAC-SHA256', now, scope, sha256(canonical)].join('\n'))
    .digest('hex');
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

function sha256(data) {
  return createHash('sha256').update(data).digest('hex');
}
