import { FileUp } from 'lucide-react';
import { useState } from 'react';
import type { Language } from '#contract/language/language.ts';
import { API_KEY_PATTERN } from '#contract/tokens.ts';
import { newIdempotencyKey } from '#web/api/idempotencyKey.ts';
import type { SampleRequest } from '#web/features/docs/samples.ts';
import { words } from '#web/features/docs/words.ts';
import styles from '#web/features/docs/docs.module.css';
import { classes } from '#web/ui/classes.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { CodeBlock } from '#web/ui/copy/CodeBlock.tsx';
import { controlClass, Field } from '#web/ui/form/Field.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { TextArea, TextField } from '#web/ui/text/TextField.tsx';
import { fileSizeText, shortSizes } from '#web/ui/upload/fileSize.ts';

type Words = (typeof words)[Language];

type Props = {
  request: SampleRequest;
  reads: Language;
  /** The reader's key on this visit; never stored (docs/decisions/012-api-dialects-and-mcp.md). */
  apiKey: string;
  onKey: (key: string) => void;
  onClose: () => void;
};

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url);
  return decodeURI(pathname + search);
};

export function TryIt({ request, reads, apiKey, onKey, onClose }: Props) {
  const labels = words[reads];
  const { method, headers } = request;
  const [path, setPath] = useState(pathOf(request.url));
  const [body, setBody] = useState(
    request.body === undefined ? '' : JSON.stringify(request.body, null, 2),
  );
  const [file, setFile] = useState<File>();
  const form = request.form && { file, texts: request.form.texts };
  const { run, busy, answer, problem } = useTry(
    { method, headers, path, body, form, apiKey },
    labels,
  );
  return (
    <Modal
      open
      onClose={onClose}
      title={`${labels.tryIt} ${method} ${decodeURI(new URL(request.url).pathname)}`}
      footer={
        <Button busy={busy} onClick={() => void run()}>
          {labels.run}
        </Button>
      }
    >
      <div className={classes('stack gap-12', styles['try'])}>
        <TextField
          label={labels.apiKey}
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={apiKey}
          help={labels.apiKeyHelp}
          onChange={({ target }) => onKey(target.value.trim())}
        />
        {isLive(apiKey) && <Alert visible state="warning" label={labels.liveKey} />}
        <TextField
          label={labels.path}
          autoComplete="off"
          spellCheck={false}
          value={path}
          onChange={({ target }) => setPath(target.value)}
        />
        {request.body !== undefined && (
          <TextArea
            label={labels.body}
            spellCheck={false}
            value={body}
            onChange={({ target }) => setBody(target.value)}
          />
        )}
        {request.form && <FileField labels={labels} file={file} onFile={setFile} />}
        {problem !== undefined && <Alert visible state="danger" label={problem} />}
        {answer && <CodeBlock title={answer.title} code={answer.text} labels={labels.copying} />}
      </div>
    </Modal>
  );
}

type FileProps = {
  labels: Words;
  file: File | undefined;
  onFile: (file: File | undefined) => void;
};

/** The browser's own control lies over it invisibly, as its text is in the browser's language. */
const FileField = ({ labels, file, onFile }: FileProps) => (
  <Field label={labels.file}>
    {(links) => (
      <div className={controlClass('md', 'flex gap-8 px-12 pointer relative', styles['file'])}>
        <FileUp size={18} />
        <span>
          {file ? (
            <>
              <bdi>{file.name}</bdi> ({fileSizeText(file.size, shortSizes)})
            </>
          ) : (
            labels.pickFile
          )}
        </span>
        <input
          {...links}
          className="cover"
          type="file"
          onChange={({ target }) => onFile(target.files?.[0])}
        />
      </div>
    )}
  </Field>
);

const isLive = (apiKey: string): boolean => apiKey.startsWith('kbr_live_');

type Call = Pick<SampleRequest, 'method' | 'headers'> & {
  path: string;
  body: string;
  form: { file: File | undefined; texts: readonly (readonly [string, string])[] } | undefined;
  apiKey: string;
};

function useTry({ method, headers, path, body, form, apiKey }: Call, labels: Words) {
  const [answer, setAnswer] = useState<{ title: string; text: string }>();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const call = async () => {
    // The example's idempotency key would be in use if another body was tried first.
    const sent = headers
      .filter(([name]) => name.toLowerCase() !== 'authorization')
      .map(([name, value]) => [
        name,
        /^idempotency-key$/i.test(name) ? newIdempotencyKey() : value,
      ]);
    const reply = await fetch(path, {
      method,
      credentials: 'omit',
      headers: { ...Object.fromEntries(sent), Authorization: `Bearer ${apiKey}` },
      ...(body !== '' && { body }),
      ...(form && { body: formDataOf(form) }),
    });
    setAnswer({ title: `${labels.response} ${reply.status}`, text: pretty(await reply.text()) });
  };
  const run = async () => {
    setAnswer(undefined);
    const wrong =
      whyNot(apiKey, path, labels) ?? (form && !form.file ? labels.fileMissing : undefined);
    setProblem(wrong);
    if (wrong !== undefined) return;
    if (method !== 'GET' && isLive(apiKey) && !(await mayRun(method, path, labels))) return;
    setBusy(true);
    try {
      await call();
    } catch {
      setProblem(labels.noResponse);
    } finally {
      setBusy(false);
    }
  };
  return { run, busy, answer, problem };
}

function formDataOf({ file, texts }: NonNullable<Call['form']>): FormData {
  const data = new FormData();
  if (file) data.append('file', file);
  for (const [name, value] of texts) data.append(name, value);
  return data;
}

function whyNot(apiKey: string, path: string, labels: Words): string | undefined {
  if (!API_KEY_PATTERN.test(apiKey)) return labels.wholeKey;
  return path.startsWith('/v1/') ? undefined : labels.pathStart;
}

const mayRun = (method: string, path: string, labels: Words): Promise<boolean> =>
  confirm({
    title: labels.liveTitle,
    children: (
      <p>
        {method} {path} {labels.liveEffect}
      </p>
    ),
    cancelText: labels.cancel,
    confirmText: labels.run,
  });

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
