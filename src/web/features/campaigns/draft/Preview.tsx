import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import { formatTime } from '#contract/base/time.ts';
import { fillTemplate } from '#contract/messages/templates.ts';
import {
  type Campaign,
  type CampaignRecipient,
  listRecipients,
  fillVariables,
  variableKey,
  type VariableValues,
} from '#contract/campaigns.ts';
import { PAGE_SIZE } from '#contract/base/act.ts';
import { perform } from '#web/api/act.ts';
import { useUser } from '#web/api/user.ts';
import { templatesQuery } from '#web/features/campaigns/draft/templatesQuery.ts';
import { placeIn, type DraftValues } from '#web/features/campaigns/draft/content.ts';
import styles from '#web/features/campaigns/campaigns.module.css';
import { classes } from '#web/ui/classes.ts';
import { nameAndNumberOf } from '#contract/messages/peer.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { ChatBubble, ChatList } from '#web/ui/chat/ChatBubble.tsx';
import type { ChatMessage } from '#web/ui/chat/chat.ts';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

type Props = { campaign: Campaign; values: DraftValues };

export function Preview({ campaign, values }: Props) {
  const { waiting } = campaign.recipients;
  const [at, setAt] = useState(0);
  const index = Math.min(at, Math.max(0, waiting - 1));
  const page = Math.floor(index / PAGE_SIZE);
  const { data } = useQuery({
    queryKey: [listRecipients.name, campaign.id, 'waiting', page],
    queryFn: ({ signal }) =>
      perform(listRecipients, { campaign_id: campaign.id, state: 'waiting', page }, { signal }),
  });
  const recipient = data?.rows[index % PAGE_SIZE];
  if (waiting === 0) {
    return (
      <p className={classes('small faint regular', styles['note'])}>
        Tidak ada penerima yang dapat dikirimi.
      </p>
    );
  }
  return (
    <div className="stack gap-18">
      <div className={classes('grid align-center border rounded-lg sunken', styles['phone'])}>
        {recipient ? (
          <Bubble campaign={campaign} values={values} recipient={recipient} />
        ) : (
          <Skeleton height={96} />
        )}
      </div>
      <div className="row justify-between gap-8 small muted">
        <Button
          variant="outline"
          tone="neutral"
          size="sm"
          square
          aria-label="Penerima sebelumnya"
          icon={<ChevronLeft size={18} />}
          disabled={index === 0}
          onClick={() => setAt(index - 1)}
        />
        <span role="status">
          <span className="num">{recipient ? whoOf(recipient) : '…'}</span>
          {`, ${formatNumber(index + 1)} dari ${formatNumber(waiting)}`}
        </span>
        <Button
          variant="outline"
          tone="neutral"
          size="sm"
          square
          aria-label="Penerima berikutnya"
          icon={<ChevronRight size={18} />}
          disabled={index + 1 >= waiting}
          onClick={() => setAt(index + 1)}
        />
      </div>
    </div>
  );
}

const whoOf = ({ peer, peer_name, written }: CampaignRecipient): string =>
  peer === null ? written : nameAndNumberOf({ peer, peer_name });

function Bubble({ campaign, values, recipient }: Props & { recipient: CampaignRecipient }) {
  const { name, timezone } = useUser();
  const [now] = useState(() => new Date());
  const { data: templates } = useQuery({
    ...templatesQuery(campaign.token.id),
    enabled: values.type === 'template',
  });
  const own = new Map(
    campaign.columns.map((column, index) => [variableKey(column), recipient.values[index] ?? '']),
  );
  const template = templates?.find((one) => `${one.name}:${one.language}` === values.template);
  const message = messageOf(campaign, values, { own, template });
  if (message === undefined)
    return (
      <p className={classes('small faint regular', styles['note'])}>
        Tulis isinya: di sini terlihat seperti di ponsel penerima.
      </p>
    );
  return (
    <ChatList label="Pratinjau di ponsel penerima">
      <ChatBubble
        side="in"
        sender={name}
        time={formatTime(now, timezone)}
        at={now}
        message={message}
      />
    </ChatList>
  );
}

type Filling = {
  own: VariableValues;
  template:
    | { header: string | null; body: string; footer: string | null; buttons: string[] }
    | undefined;
};

function messageOf(
  { content }: Campaign,
  values: DraftValues,
  { own, template }: Filling,
): ChatMessage | undefined {
  const filled = (text: string) => fillVariables(text, own);
  switch (values.type) {
    case 'file': {
      const name = content?.type === 'file' && values.upload === '' ? content.file.name : 'berkas';
      return { type: 'file', caption: filled(values.caption), filename: name };
    }
    case 'location': {
      const { place, address } = values;
      const at = placeIn(values);
      if (Number.isNaN(at.latitude + at.longitude)) return undefined;
      return { type: 'location', place: { ...at, name: place || null, address: address || null } };
    }
    case 'template': {
      if (!template) return undefined;
      const { header, body, footer, buttons } = template;
      return {
        type: 'template',
        caption: fillTemplate(body, values.variables.map(filled)),
        template: { header, footer, buttons: [...new Set(buttons)] },
      };
    }
    default:
      return values.text.trim() === '' ? undefined : { type: 'text', caption: filled(values.text) };
  }
}
