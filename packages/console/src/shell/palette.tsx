/** One field for everything. */
import { Dialog } from '../parts/dialog.tsx';

export default function Palette({ onClose }: { readonly onClose: () => void }) {
  return <Dialog open onClose={onClose} title="Search" />;
}
