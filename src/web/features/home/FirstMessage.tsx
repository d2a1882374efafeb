import type { HomeSummary } from '#contract/messages.ts';
import { UnverifiedNote, WindowNote, curlSample, useSending } from '#web/features/tokens/tokens.ts';
import { CodeBlock } from '#web/ui/copy/CodeBlock.tsx';

export function FirstMessage({ channel }: Pick<HomeSummary, 'channel'>) {
  const sending = useSending({ channel });
  return (
    <>
      <p>
        Tempel perintah ini di terminal dan ganti KUNCI_API_ANDA dengan kunci token Anda, atau kirim
        langsung dari sini.
      </p>
      {channel === 'cloud' && (
        <>
          <WindowNote />
          <UnverifiedNote />
        </>
      )}
      <CodeBlock title="curl" code={curlSample(sending)} />
    </>
  );
}
