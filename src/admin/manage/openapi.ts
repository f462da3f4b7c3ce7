import { ANSWER_SCHEMAS } from './answer-schemas.ts';
import { BASE_PATH, type AdminEndpoint, ENDPOINTS, type RequestReaders } from './endpoints.ts';

type Json = Readonly<Record<string, unknown>>;

const DESCRIPTION =
  'Users, keys, policies, buckets and quotas of an S3 gateway. GET needs a token that may read, everything else one that may manage.';

/** What each answer may be instead. */
const FAILURE = { description: 'What could not be done, and why', content: json('Failure') };

/** OpenAPI 3.1, made from the table of endpoints. */
export function openApiDocument({ bodies, names }: RequestReaders, version: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [operationId, endpoint] of Object.entries<AdminEndpoint>(ENDPOINTS)) {
    const at = (paths[endpoint.path] ??= {});
    at[endpoint.method.toLowerCase()] = { operationId, ...operation(endpoint, names) };
  }
  const sent: Json = Object.fromEntries(Object.entries(bodies).map(([name, { schema }]) => [`${name}Body`, schema]));
  return {
    openapi: '3.1.0',
    info: { title: 'S3 gateway: admin API', version, description: DESCRIPTION },
    servers: [{ url: BASE_PATH }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { ...ANSWER_SCHEMAS, ...sent },
    },
  };
}

function operation(endpoint: AdminEndpoint, chosen: RequestReaders['names']): Json {
  const { method, path, summary, body, bodyIsOptional, answers, query = {} } = endpoint;
  // What is looked for may have any name; that of a bucket has S3's form in any case.
  const named = method === 'PUT' ? chosen : { bucket: chosen.bucket };
  const forms = new Map(Object.entries(named).map(([name, { schema }]) => [name, schema]));
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: forms.get(name) ?? { type: 'string', minLength: 1 },
  }));
  const inQuery = Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema }));
  const responses = Object.entries(answers).map(([status, answer]) => [
    status,
    { description: answer === 'none' ? 'Done' : answer, ...(answer !== 'none' && { content: json(answer) }) },
  ]);
  return {
    summary,
    parameters: [...inPath, ...inQuery],
    ...(body !== undefined && { requestBody: { required: bodyIsOptional !== true, content: json(`${body}Body`) } }),
    responses: { ...Object.fromEntries(responses), default: FAILURE },
  };
}

function json(schema: string): Json {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } };
}
