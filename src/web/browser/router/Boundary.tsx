import { Component, type ReactNode } from 'react';

type Props = {
  /** A changed key resets the boundary. */
  resetKey: unknown;
  /** The fallback; its second argument retries. */
  fallback: (error: unknown, again: () => void) => ReactNode;
  children: ReactNode;
};

type State = { resetKey?: unknown; broken?: { error: unknown } | undefined };

export class Boundary extends Component<Props, State> {
  override state: State = {};

  static getDerivedStateFromError(error: unknown): State {
    return { broken: { error } };
  }

  static getDerivedStateFromProps({ resetKey }: Props, state: State): State | null {
    return resetKey === state.resetKey ? null : { resetKey, broken: undefined };
  }

  readonly again = () => this.setState({ broken: undefined });

  override render(): ReactNode {
    const { broken } = this.state;
    return broken ? this.props.fallback(broken.error, this.again) : this.props.children;
  }
}
