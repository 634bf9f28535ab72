/** Whether a file is on a disk of this machine, where locks and times are those of its own kernel. */
import { statfsSync } from 'node:fs';

/**
 * The numbers of Linux for file systems whose locks and times are the kernel's own: ext2 to ext4, XFS, Btrfs, tmpfs,
 * overlayfs, ZFS, F2FS and bcachefs. On others, such as NFS, a lock by inode may clash with the locks of SQLite, and the
 * time of a change may be another one later.
 */
const LOCAL_TYPES: readonly number[] = [
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e,
];

/** Whether the file is on one of the file systems of Linux that are known to be local. */
export function isOnLocalFileSystem(file: string): boolean {
  return process.platform === 'linux' && LOCAL_TYPES.includes(statfsSync(file).type);
}
