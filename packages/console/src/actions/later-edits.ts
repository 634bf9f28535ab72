/**
 * The fields of a form after its save: as stored, except for those that the person has edited while the request was
 * under way.
 *
 * @param sent the fields of the request
 * @param now the fields at its reply
 */
export function withLaterEdits<Fields extends object>(stored: Fields, sent: Fields, now: Fields): Fields {
  const isEdited = (field: keyof Fields) => JSON.stringify(now[field]) !== JSON.stringify(sent[field]);
  const edits = Object.entries(now).filter(([field]) => isEdited(field as keyof Fields));
  return { ...stored, ...Object.fromEntries(edits) };
}
