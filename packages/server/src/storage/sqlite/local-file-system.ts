/** Detects files on a local disk, where the kernel of this machine manages locks. */
import { statfsSync } from 'node:fs';

/**
 * Linux's type numbers of local file systems: ext2 to ext4, XFS, Btrfs, tmpfs, overlayfs, ZFS, F2FS and bcachefs. On
 * others, such as NFS, a lock by inode may clash with SQLite's locks.
 */
const LOCAL_TYPES: readonly number[] = [
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e,
];

/** Whether a file is on a known local file system of Linux. */
export function isOnLocalFileSystem(file: string): boolean {
  return process.platform === 'linux' && LOCAL_TYPES.includes(statfsSync(file).type);
}
