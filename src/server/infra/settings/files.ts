import * as z from 'zod/mini';
import { type S3Address, readS3Address } from '#server/infra/file-store/address.ts';
import { StartError } from '#server/infra/start-error.ts';
import { text } from './readers.ts';
import { optional } from './setting.ts';

const s3Address = z.pipe(
  z.string().check((checked) => {
    const read = readS3Address(checked.value);
    if (!('mustBe' in read)) return;
    checked.issues.push({ code: 'custom', message: read.mustBe, input: checked.value });
  }),
  z.transform((words: string) => readS3Address(words) as S3Address),
);

export const fileSettings = {
  FILES_URL: optional(
    'The bucket of an S3 store (AWS S3, MinIO, Ceph, R2 and others) in which files lie, so that any number of nodes share them: `s3://bucket/prefix?endpoint=https://s3.example&region=ap-southeast-3`. Without `endpoint` it is AWS, and needs `region`; with one, `region` is `us-east-1` unless given. `pathStyle` (`true` or `false`) says whether the bucket stands in the path, as it does where an `endpoint` is given. Without the setting files lie in the data folder.',
    s3Address,
    { secret: true },
  ),
  AWS_ACCESS_KEY_ID: optional(
    'The id of the key for `FILES_URL`. Without the two, the AWS client looks where it always does: shared files, the role of the machine, the container or the service account.',
    text,
    { secret: true },
  ),
  AWS_SECRET_ACCESS_KEY: optional('The key for `FILES_URL` itself.', text, { secret: true }),
  AWS_SESSION_TOKEN: optional('What belongs to a key for `FILES_URL` that is short-lived.', text, {
    secret: true,
  }),
};

type Given = Partial<
  Record<'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY', string | undefined> & {
    FILES_URL: S3Address | undefined;
  }
>;

/** @throws StartError if only one part of the key is set. */
export function refuseHalfKey(given: Given): void {
  const { FILES_URL, AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = given;
  if (FILES_URL === undefined || (id === undefined) === (secret === undefined)) return;
  throw new StartError(
    `FILES_URL needs ${id === undefined ? 'AWS_ACCESS_KEY_ID' : 'AWS_SECRET_ACCESS_KEY'} as well: set both, or neither where the machine has a role of its own.`,
  );
}
