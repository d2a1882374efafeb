import { later } from '#web/browser/lazyComponent.ts';
import { useUser } from '#web/api/user.ts';
import { AccountTools } from '#web/app/layout/AccountMenu.tsx';
import { Frame } from '#web/app/layout/Frame.tsx';
import { operatorMenuFor } from '#web/app/navigation/operatorMenu.ts';
import { BottomBar } from '#web/ui/layout/BottomBar.tsx';

const EnrolGate = later(async () => (await import('#web/app/layout/EnrolGate.tsx')).EnrolGate);

/**
 * What stands around an operator's pages: the menu shows what their roles open. Who still has to set up a
 * second factor sees that alone.
 */
export function OperatorShell() {
  const user = useUser();
  const menu = operatorMenuFor(user.operator_roles);
  if (user.needs_second_factor) return <EnrolGate />;
  return (
    <Frame
      menu={menu}
      bottom={<BottomBar label="Menu bawah" menu={menu} more={<AccountTools />} />}
    />
  );
}
