import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listTemplates, TEMPLATE_LIMITS, type Template } from '#contract/messages/templates.ts';
import type { ChannelName } from '#contract/tokens.ts';
import { perform } from '#web/api/act.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { Link } from '#web/browser/router/Link.tsx';
import styles from '#web/features/messages/conversations/conversations.module.css';
import { classes } from '#web/ui/classes.ts';
import { TemplateForm } from '#web/features/messages/conversations/thread/attach/TemplateForm.tsx';
import type { TemplateToSend } from '#web/features/messages/conversations/thread/sending/content.ts';
import { templateCategoryLabel, templateLanguageLabel } from '#web/features/tokens/tokens.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { listKey } from '#web/ui/table/list/useList.ts';
import { SearchField } from '#web/ui/text/SearchField.tsx';

type Props = {
  tokenId: string;
  channel: ChannelName | undefined;
  name: string;
  onSend: (template: TemplateToSend, file: File | undefined) => void;
  onClose: () => void;
};

export function TemplateDialog({ tokenId, channel, name, onSend, onClose }: Props) {
  const [chosen, setChosen] = useState<Template>();
  return (
    <Modal
      open
      size="lg"
      onClose={onClose}
      title={chosen ? <bdi>{chosen.name}</bdi> : 'Kirim templat'}
    >
      {chosen ? (
        <TemplateForm
          template={chosen}
          channel={channel}
          name={name}
          onBack={() => setChosen(undefined)}
          onSend={(template, file) => {
            onSend(template, file);
            onClose();
          }}
        />
      ) : (
        <Choice tokenId={tokenId} onChoose={setChosen} />
      )}
    </Modal>
  );
}

type TemplateQuery = {
  q: string;
  pages: number;
  tokenId: string;
};

const approvedQuery = ({ q, pages, tokenId }: TemplateQuery) =>
  queryOptions({
    queryKey: [...listKey(listTemplates), 'approved', tokenId, q, pages],
    queryFn: async ({ signal }) => {
      const all = await Promise.all(
        Array.from({ length: pages }, (_, page) =>
          perform(
            listTemplates,
            { status: 'approved', token_id: tokenId, q: q || undefined, page },
            { signal },
          ),
        ),
      );
      return { rows: all.flatMap(({ rows }) => rows), totalPages: all[0]?.totalPages ?? 0 };
    },
    placeholderData: keepPreviousData,
  });

type ChoiceProps = Pick<TemplateQuery, 'tokenId'> & { onChoose: (template: Template) => void };

function Choice({ tokenId, onChoose }: ChoiceProps) {
  const [{ q, pages }, setQuery] = useState({ q: '', pages: 1 });
  const { data, error, refetch } = useQuery(approvedQuery({ q, pages, tokenId }));
  if (error && !data) {
    return <WentWrong message={sentenceOf(error)} onRetry={() => void refetch()} />;
  }
  if (data?.rows.length === 0 && q === '') return <None />;
  return (
    <div className="stack gap-16">
      <SearchField
        label="Cari templat"
        placeholder="Nama atau isi templat"
        maxLength={TEMPLATE_LIMITS.search}
        value={q}
        onSearch={(words) => setQuery({ q: words, pages: 1 })}
      />
      {!data ? (
        <div aria-busy="true">
          <Skeleton lines={6} height="1.4em" />
        </div>
      ) : data.rows.length === 0 ? (
        <p className="small muted" role="status">
          Tidak ada templat yang cocok.
        </p>
      ) : (
        <ul
          className={classes('stack plain-list border rounded-lg overflow-y', styles['rows'])}
          aria-label="Templat yang disetujui"
        >
          {data.rows.map((template) => (
            <li key={`${template.name} ${template.language}`}>
              <Row template={template} onChoose={onChoose} />
            </li>
          ))}
        </ul>
      )}
      {data && data.totalPages > pages && (
        <div>
          <Button
            variant="outline"
            tone="neutral"
            size="sm"
            onClick={() => setQuery({ q, pages: pages + 1 })}
          >
            Tampilkan lebih banyak
          </Button>
        </div>
      )}
    </div>
  );
}

type RowProps = { template: Template; onChoose: (template: Template) => void };

const Row = ({ template, onChoose }: RowProps) => (
  <button
    type="button"
    className="stack gap-2 w-full text-start min-h-52 py-8 px-14 hover ring-inset"
    onClick={() => onChoose(template)}
  >
    <bdi className="truncate strong">{template.name}</bdi>
    <span className="small muted break-anywhere clamp-2">{template.body}</span>
    <span className="tiny faint">
      {templateLanguageLabel(template.language)} · {templateCategoryLabel[template.category].title}
    </span>
  </button>
);

const None = () => (
  <EmptyState title="Belum ada templat yang disetujui">
    Ajukan templat di halaman <Link to="/token/templat">Templat</Link>; setelah disetujui, ia dapat
    dikirim dari sini.
  </EmptyState>
);
