import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AdminPart, refuse } from '../server.ts';
import { type PageFile, type PageFiles, readPageFiles } from './page-files.ts';

/** The page's files are the same for all callers and tell nothing. The page must be there to ask for a token. */
const OPEN = { config: { access: 'open' } } as const;

/** The inspector's web page at `/`, its styles and modules below `/page/`. All data come by the API. */
export function inspectorPage(): AdminPart {
  const files = readOnce();
  return (app) => {
    app.get('/', OPEN, async (request, reply) => send((await files()).get('index.html'), request, reply));
    app.get<{ Params: { '*': string } }>('/page/*', OPEN, async (request, reply) =>
      send((await files()).get(request.params['*']), request, reply),
    );
  };
}

/** Read when somebody opens the page: most gateways are never looked at. A failure is not remembered. */
function readOnce(): () => Promise<PageFiles> {
  let reading: Promise<PageFiles> | undefined;
  return () => {
    reading ??= readPageFiles().catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}

/** Browsers keep the files but ask whether they are current: a gateway may be replaced at any time. */
function send(file: PageFile | undefined, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (file === undefined) return refuse(reply, 404, 'the page has no such file');
  void reply.header('etag', file.etag).header('cache-control', 'no-cache');
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  return reply.type(file.contentType).send(file.body);
}
