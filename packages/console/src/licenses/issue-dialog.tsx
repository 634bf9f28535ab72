export function IssueDialog(_: { readonly onClose: () => void; readonly productId: string }) {
  return null;
}
