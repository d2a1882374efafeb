import { useContext } from 'react';
import { words } from '#web/features/docs/words.ts';
import { ReaderContext } from '#web/features/docs/reader.ts';
import {
  languageTitle,
  languages,
  readCurl,
  sampleIn,
  type SampleLanguage,
} from '#web/features/docs/samples.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { CodeBlock } from '#web/ui/copy/CodeBlock.tsx';
import { Tabs } from '#web/ui/tabs/Tabs.tsx';

export function Example({ code, title }: { code: string; title: string }) {
  const { reads, language, setLanguage, tryOut } = useContext(ReaderContext);
  const { languageOf, tryIt, copying } = words[reads];
  const request = readCurl(code);
  if (!request) return <CodeBlock title={title} code={code} labels={copying} />;
  return (
    <div className="stack gap-12">
      <Tabs
        label={`${languageOf} ${title.toLowerCase()}`}
        value={language}
        onChange={(value) => setLanguage(value as SampleLanguage)}
        tabs={languages.map((one) => ({
          value: one,
          label: languageTitle[one],
          content: <CodeBlock title={title} code={sampleIn(one, code)} labels={copying} />,
        }))}
      />
      <div>
        <Button
          size="sm"
          variant="subtle"
          aria-label={`${tryIt}: ${title.toLowerCase()}`}
          onClick={() => tryOut(request)}
        >
          {tryIt}
        </Button>
      </div>
    </div>
  );
}
