import { useUser } from '#web/api/user.ts';
import { AccountTools } from '#web/app/layout/AccountMenu.tsx';
import { Frame } from '#web/app/layout/Frame.tsx';
import { operatorMenuFor } from '#web/app/navigation/operatorMenu.ts';
import { BottomBar } from '#web/ui/layout/BottomBar.tsx';

/** What stands around an operator's pages: the menu shows what their roles open. */
export function OperatorShell() {
  const menu = operatorMenuFor(useUser().operator_roles);
  return (
    <Frame
      menu={menu}
      bottom={<BottomBar label="Menu bawah" menu={menu} more={<AccountTools />} />}
    />
  );
}
