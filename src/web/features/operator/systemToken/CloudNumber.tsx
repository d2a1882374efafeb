import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type SystemToken, connectSystemToken } from '#contract/operator/settings.ts';
import { isOperatorQuery } from '#web/features/operator/form/useOperatorForm.tsx';
import { CloudForm, CloudSetup } from '#web/features/tokens/tokens.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Row, Stack } from '#web/ui/panel/Panel.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

export function CloudNumber({ token }: { token: SystemToken }) {
  const { cloud, code_template: template } = token;
  const [isEditing, setEditing] = useState(false);
  const client = useQueryClient();
  if (token.phone === null || cloud === null || isEditing) {
    return (
      <CloudForm
        act={connectSystemToken}
        inputOf={(entered) => entered}
        known={cloud}
        isFirst={isEditing}
        {...(cloud && { onCancel: () => setEditing(false) })}
        onDone={() => {
          void client.invalidateQueries({ predicate: isOperatorQuery });
          setEditing(false);
          toast('Nomor token sistem tersambung.', { tone: 'success' });
        }}
      />
    );
  }
  return (
    <Stack>
      <Alert
        visible={template === null}
        state="danger"
        label="Belum ada templat autentikasi yang disetujui Meta: tidak ada kode yang terkirim."
      >
        <p>
          Di WhatsApp Manager buat templat kategori Autentikasi dengan tombol Salin kode. Setelah
          Meta menyetujuinya, Kabari memakainya tanpa pengaturan lain.
        </p>
      </Alert>
      <h3>Nomor di Meta</h3>
      <CloudSetup cloud={cloud} />
      <Row>
        <Button
          variant={token.status === 'disconnected' ? 'solid' : 'outline'}
          {...(token.status !== 'disconnected' && { tone: 'neutral' as const })}
          onClick={() => setEditing(true)}
        >
          Masukkan access token baru
        </Button>
      </Row>
    </Stack>
  );
}
