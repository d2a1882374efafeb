import type { RunningApp } from './running-app.ts';

export type DialectCall = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  form?: Record<string, string>;
  json?: unknown;
  multipart?: FormData;
  key?: string;
  headers?: Record<string, string>;
};

export async function ask(
  { app }: RunningApp,
  path: string,
  { method = 'POST', ...given }: DialectCall = {},
) {
  const multipart = given.multipart && new Response(given.multipart);
  const type = multipart?.headers.get('content-type') ?? undefined;
  const answer = await app.inject({
    method,
    url: path,
    headers: {
      ...(given.key !== undefined && { authorization: given.key }),
      ...(given.form && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(given.json !== undefined && { 'content-type': 'application/json' }),
      ...(type !== undefined && { 'content-type': type }),
      ...given.headers,
    },
    ...(given.form && { payload: new URLSearchParams(given.form).toString() }),
    ...(given.json !== undefined && {
      payload: typeof given.json === 'string' ? given.json : JSON.stringify(given.json),
    }),
    ...(multipart && { payload: Buffer.from(await multipart.arrayBuffer()) }),
  });
  const body = answer.body.startsWith('{') ? answer.json() : answer.body;
  return { status: answer.statusCode, body, headers: answer.headers };
}
