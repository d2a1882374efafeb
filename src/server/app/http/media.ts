import type { Container } from '#server/app/container.ts';
import type { MediaCalls } from '#server/http/v1/endpoints/media.ts';

/** The library of media, as the API calls it. */
export const mediaCallsOf = ({
  media: { files, library },
}: Pick<Container, 'media'>): MediaCalls => ({
  takeOnce: ({ accountId }, file, once) =>
    library.takeOnce({ ...file, accountId, source: 'api' }, once),
  find: async ({ accountId }, fileId) => (await library.find(accountId, [fileId])).get(fileId),
  remove: ({ accountId }, fileId) => library.remove(accountId, fileId),
  offer: ({ accountId }, fileId) => files.offer(accountId, fileId),
});
