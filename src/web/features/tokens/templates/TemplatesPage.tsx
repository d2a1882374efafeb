import { useQuery } from '@tanstack/react-query';
import { BookOpen } from 'lucide-react';
import type { Template } from '#contract/messages/templates.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { addressOf } from '#web/features/tokens/templates/labels.ts';
import { NewTemplate } from '#web/features/tokens/templates/NewTemplate.tsx';
import { templatesFullQuery, useTemplatesChanged } from '#web/features/tokens/templates/queries.ts';
import {
  AddTemplate,
  TemplatesFull,
  TemplateTable,
} from '#web/features/tokens/templates/TemplateTable.tsx';
import { useTemplateSync } from '#web/features/tokens/templates/useTemplateSync.tsx';
import { TokenTabs } from '#web/features/tokens/TokenTabs.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

/** Route `/token/templat`: templates of all tokens; with `view=new` the form for one. */
export function TemplatesPage() {
  const { view } = useSearch('/token/templat');
  const changed = useTemplatesChanged();
  const sync = useTemplateSync();
  const isFull = useQuery(templatesFullQuery).data === true;
  const made = (template: Template) => {
    changed(template);
    toast(`Templat ${template.name} disimpan.`, { tone: 'success' });
    const search = { open: addressOf(template) };
    void navigate({ to: '/token/templat', search, replace: true });
  };
  if (view === 'new') {
    return (
      <>
        <PageHead
          title="Templat baru"
          context={<Link to="/token/templat">Kembali ke daftar templat</Link>}
        />
        {isFull ? <TemplatesFull /> : <NewTemplate onMade={made} />}
      </>
    );
  }
  return (
    <>
      <PageHead
        title="Templat"
        context="Pesan siap pakai dengan isian, misalnya nama pelanggan. Dapat dikirim dari semua nomor Anda."
        action={<AddTemplate />}
        tools={
          <>
            {sync.button}
            <LinkButton
              to="/docs"
              hash="post-v1templates"
              variant="outline"
              tone="neutral"
              icon={<BookOpen size={18} aria-hidden="true" />}
            >
              Dokumentasi templat
            </LinkButton>
          </>
        }
      />
      <TokenTabs current="templates" />
      <div className="stack gap-16">
        {isFull && <TemplatesFull />}
        <RefusalAlert error={sync.error} />
        <TemplateTable />
      </div>
    </>
  );
}
