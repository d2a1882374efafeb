// The package has no types; those of its predecessor describe another major version.
declare module '@20minutes/s3rver' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export default class S3rver {
    constructor(options: {
      silent: boolean;
      directory: string;
      vhostBuckets: boolean;
      allowMismatchedSignatures?: boolean;
    });
    store: { putBucket(name: string): Promise<unknown> };
    logger: { close(): void };
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  }
}
