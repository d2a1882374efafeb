import { useState } from 'react';
import { formatTime } from '#contract/base/time.ts';
import { valueOrderOf, type TemplateFile } from '#contract/messages/templates.ts';
import { useUser } from '#web/api/user.ts';
import { fileLabel, previewOf, type Examples } from '#web/features/tokens/templates/labels.ts';
import styles from '#web/features/tokens/tokens.module.css';
import { classes } from '#web/ui/classes.ts';
import { ChatBubble, ChatList } from '#web/ui/chat/ChatBubble.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

type Shown = {
  header: string | null;
  header_file?: TemplateFile | null;
  body: string;
  footer: string | null;
  buttons: readonly string[];
};

type Props = {
  template: Shown;
  examples: Examples;
  onExamples: (examples: Examples) => void;
};

/** A template as its recipient sees it, with examples for its variables, which are not stored. */
export function TemplatePreview({ template, examples, onExamples }: Props) {
  const { name, timezone } = useUser();
  const [now] = useState(() => new Date());
  const { header_file: file, body, footer, buttons } = template;
  const header = file ? `[${fileLabel[file]}]` : template.header;
  return (
    <div className="stack gap-16">
      <div className="grid align-center border rounded-lg sunken min-h-120">
        {body.trim() === '' ? (
          <p className="small faint p-16 text-center">
            Tulis isinya: di sini terlihat seperti di ponsel penerima.
          </p>
        ) : (
          <ChatList label="Pratinjau di ponsel penerima">
            <ChatBubble
              side="in"
              sender={name}
              time={formatTime(now, timezone)}
              at={now}
              message={{
                type: 'template',
                caption: previewOf(body, examples),
                template: { header, footer, buttons: [...new Set(buttons)] },
              }}
            />
          </ChatList>
        )}
      </div>
      <ExampleFields body={body} examples={examples} onExamples={onExamples} />
    </div>
  );
}

type ExamplesProps = Pick<Props, 'examples' | 'onExamples'> & { body: string };

function ExampleFields({ body, examples, onExamples }: ExamplesProps) {
  const variables = valueOrderOf(body);
  if (variables.length === 0) return null;
  return (
    <fieldset className={classes('grid gap-10 gap-x-12', styles['examples'])}>
      <legend className="mb-8 strong">Contoh isi variabel</legend>
      {variables.map((variable) => (
        <TextField
          key={variable}
          label={`{{${variable}}}`}
          size="sm"
          autoComplete="off"
          value={examples[variable] ?? ''}
          onChange={({ target }) => onExamples({ ...examples, [variable]: target.value })}
        />
      ))}
      <p className="small faint col-all">
        Hanya untuk pratinjau dan contoh kode. Isi sebenarnya ditentukan setiap kali dikirim.
      </p>
    </fieldset>
  );
}
