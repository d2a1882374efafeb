import { useState } from 'react';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Avatar } from '#web/ui/avatar/Avatar.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Caption } from '#web/ui/chat/Caption.tsx';
import { ChatBubble, ChatList } from '#web/ui/chat/ChatBubble.tsx';
import { ContactCard } from '#web/ui/chat/cards/ContactCard.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import { FileCard } from '#web/ui/chat/cards/FileCard.tsx';
import { Row } from '#web/ui/panel/Panel.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

const first = [
  'Pesan biasa',
  '<img src=x onerror=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
];

function payloadsOf(text: string): readonly string[] {
  try {
    const read: unknown = JSON.parse(text);
    return Array.isArray(read) ? read.map(String) : [];
  } catch {
    return [];
  }
}

/** Five at a time: more are never shown at once. */
async function sayAll(texts: readonly string[], said: (count: number) => void): Promise<void> {
  for (let from = 0; from < texts.length; from += 5) {
    for (const text of texts.slice(from, from + 5)) toast(text);
    await new Promise((resolve) => setTimeout(resolve));
  }
  said(texts.length);
}

function Demo() {
  const [text, setText] = useState(JSON.stringify(first));
  const [shown, setShown] = useState<readonly string[]>(first);
  const [turn, setTurn] = useState(0);
  const [said, setSaid] = useState(0);
  return (
    <>
      <Show title="What to show">
        <textarea
          aria-label="Texts, as a JSON list"
          rows={3}
          cols={36}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Row>
          <Button
            onClick={() => {
              setShown(payloadsOf(text));
              setTurn(turn + 1);
            }}
          >
            Show them
          </Button>
          <Button
            variant="outline"
            onClick={() =>
              void sayAll(payloadsOf(text), (count) => setSaid((before) => before + count))
            }
          >
            Say them
          </Button>
        </Row>
        <Emitted of="Batches shown">{turn}</Emitted>
        <Emitted of="Toasts said">{said}</Emitted>
      </Show>
      <Sinks texts={shown} />
    </>
  );
}

const Sinks = ({ texts }: { texts: readonly string[] }) => (
  <>
    <Show title="Captions">
      {texts.map((text, index) => (
        <div key={index}>
          <Caption text={text} />
        </div>
      ))}
    </Show>
    <Show title="Contacts">
      {texts.map((text, index) => (
        <ContactCard key={index} name={text} phone={text} />
      ))}
    </Show>
    <Show title="Files">
      {texts.map((text, index) => (
        <FileCard key={index} name={text} type={text} url="/favicon.svg" />
      ))}
    </Show>
    <Show title="Senders">
      <ChatList label="Pengirim">
        {texts.map((text, index) => (
          <ChatBubble
            key={index}
            message={{ type: 'text', caption: 'Halo' }}
            side="in"
            sender={text}
            time="09.05"
          />
        ))}
      </ChatList>
    </Show>
    <Show title="Table cells">
      <div>
        <DataTable
          caption="Teks"
          columns={[{ id: 'text', title: 'Teks', cell: ({ text }) => text }]}
          rows={texts.map((text, index) => ({ id: String(index), text }))}
          rowKey={({ id }) => id}
          view={{ page: 0 }}
          onView={() => undefined}
          totalPages={1}
        />
      </div>
    </Show>
    <Show title="Avatars">
      {texts.map((text, index) => (
        <Avatar key={index} name={text} />
      ))}
    </Show>
    <Show title="Alerts">
      {texts.map((text, index) => (
        <Alert key={index} state="info" visible label={text} />
      ))}
    </Show>
  </>
);

export const piece: Piece = {
  id: 'hostile-text',
  title: 'Hostile text',
  about:
    'Every place that shows what strangers wrote, with whatever you put in: nothing may run, and no node may appear that was not meant. Said, they are toasts.',
  props: [],
  Demo,
};
