using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;

namespace Latchkey
{
    /// <summary>
    /// Functions of the system that .NET Standard lacks. They are called directly, which IL2CPP can, too; where a
    /// system does not have one, the nearest function of .NET does.
    /// </summary>
    internal static class NativeSystem
    {
        internal static readonly bool IsWindows = RuntimeInformation.IsOSPlatform(OSPlatform.Windows);
        internal static readonly bool IsMac = RuntimeInformation.IsOSPlatform(OSPlatform.OSX);
        internal static readonly bool IsLinux = RuntimeInformation.IsOSPlatform(OSPlatform.Linux);

        private const uint OwnerMayAll = 448; // 0700
        private const uint OwnerMayReadAndWrite = 384; // 0600
        private const int NotPermitted = 1;

        /// <summary>The clock of Linux that goes on while the machine sleeps.</summary>
        private const int ClockBoottime = 7;

        private const uint QueryLimitedInformation = 0x1000;
        private const uint StillActive = 259;
        private const int NotFound = 2;
        private const int AccessDenied = 5;
        private const uint ReplaceExisting = 1;
        private const uint WriteThrough = 8;

        private static readonly UIntPtr LocalMachine = new UIntPtr(0x80000002u);
        private const uint TextIn64Bits = 0x00010002;

        /// <summary>
        /// Milliseconds since the start of the machine, which go on while it sleeps; null if unknown.
        /// </summary>
        internal static long? MillisecondsSinceBoot()
        {
            return Native<long?>(
                () =>
                {
                    if (IsWindows) return (long)GetTickCount64();
                    if (!IsLinux || clock_gettime(ClockBoottime, out var at) != 0) return null;
                    return (long)at.Seconds * 1000 + (long)at.Nanoseconds / 1000000;
                },
                () => null);
        }

        internal static int ProcessId()
        {
            return Native(
                () => IsWindows ? (int)GetCurrentProcessId() : getpid(),
                () => System.Diagnostics.Process.GetCurrentProcess().Id);
        }

        /// <summary>Whether a process exists. One of another user counts as alive.</summary>
        internal static bool IsAlive(int process)
        {
            return Native(
                () =>
                {
                    if (IsWindows) return IsActive(process);
                    return kill(process, 0) == 0 || Marshal.GetLastWin32Error() == NotPermitted;
                },
                () => true);
        }

        /// <summary>Creates a folder for this user alone.</summary>
        internal static void CreateFolder(string path)
        {
            var isMade = Native(() => !IsWindows && mkdir(path, OwnerMayAll) == 0, () => false);
            // It throws the exception that names the cause, and does nothing for a folder that exists.
            if (!isMade) Directory.CreateDirectory(path);
        }

        /// <summary>Gives a file to this user alone.</summary>
        internal static void MakePrivate(string path)
        {
            if (!IsWindows) Native(() => chmod(path, OwnerMayReadAndWrite), () => 0);
        }

        /// <summary>Renames a file, and replaces another one. Returns whether it could.</summary>
        internal static bool Rename(string from, string to)
        {
            return Native(
                () => IsWindows ? MoveFileEx(from, to, ReplaceExisting | WriteThrough) : rename(from, to) == 0,
                () => HasReplaced(from, to));
        }

        /// <summary>Gives a file a second name that must be free. Returns whether it could.</summary>
        internal static bool Link(string from, string to)
        {
            var isLinked = Native(() => IsWindows ? CreateHardLink(to, from, IntPtr.Zero) : link(from, to) == 0, () => false);
            // Android refuses links.
            return isLinked || (!File.Exists(to) && HasCopied(from, to));
        }

        /// <summary>The id that Windows or macOS keeps; null without one.</summary>
        /// <exception cref="IOException">It cannot be read at the moment.</exception>
        internal static string MachineId()
        {
            return Native(() => IsWindows ? WindowsMachineId() : MacMachineId(), () => null);
        }

        private static string WindowsMachineId()
        {
            var text = new StringBuilder(64);
            var size = (uint)(text.Capacity * 2);
            var status = RegGetValue(
                LocalMachine, @"SOFTWARE\Microsoft\Cryptography", "MachineGuid", TextIn64Bits, IntPtr.Zero, text, ref size);
            if (status != 0 && status != NotFound) throw new IOException("cannot read MachineGuid: error " + status);
            return status == 0 ? text.ToString() : null;
        }

        private static string MacMachineId()
        {
            var expert = IOServiceGetMatchingService(0, IOServiceMatching("IOPlatformExpertDevice"));
            if (expert == 0) throw new IOException("cannot read IOPlatformUUID");
            const uint utf8 = 0x08000100;
            var name = CFStringCreateWithCString(IntPtr.Zero, "IOPlatformUUID", utf8);
            var value = IORegistryEntryCreateCFProperty(expert, name, IntPtr.Zero, 0);
            IOObjectRelease(expert);
            CFRelease(name);
            if (value == IntPtr.Zero) return null;
            var text = new byte[64];
            var isRead = CFStringGetCString(value, text, new IntPtr(text.Length), utf8) != 0;
            CFRelease(value);
            return isRead ? Encoding.ASCII.GetString(text, 0, Math.Max(0, Array.IndexOf(text, (byte)0))) : null;
        }

        private static Value Native<Value>(Func<Value> call, Func<Value> otherwise)
        {
            try
            {
                return call();
            }
            catch (Exception error) when (error is DllNotFoundException || error is EntryPointNotFoundException)
            {
                return otherwise();
            }
        }

        private static bool IsActive(int process)
        {
            var handle = OpenProcess(QueryLimitedInformation, false, (uint)process);
            if (handle == IntPtr.Zero) return Marshal.GetLastWin32Error() == AccessDenied;
            var isActive = GetExitCodeProcess(handle, out var status) && status == StillActive;
            CloseHandle(handle);
            return isActive;
        }

        private static bool HasReplaced(string from, string to)
        {
            try
            {
                if (File.Exists(to)) File.Replace(from, to, null);
                else File.Move(from, to);
                return true;
            }
            catch (IOException)
            {
                return false;
            }
        }

        private static bool HasCopied(string from, string to)
        {
            try
            {
                File.Copy(from, to);
                return true;
            }
            catch (IOException)
            {
                return false;
            }
        }

        /// <summary>As the C library has it: both are as long as a pointer.</summary>
        [StructLayout(LayoutKind.Sequential)]
        private struct TimeSpec
        {
            internal IntPtr Seconds;
            internal IntPtr Nanoseconds;
        }

        [DllImport("libc")]
        private static extern int clock_gettime(int clock, out TimeSpec at);

        [DllImport("libc")]
        private static extern int getpid();

        [DllImport("libc", SetLastError = true)]
        private static extern int kill(int process, int signal);

        [DllImport("libc")]
        private static extern int mkdir(string path, uint mode);

        [DllImport("libc")]
        private static extern int chmod(string path, uint mode);

        [DllImport("libc")]
        private static extern int rename(string from, string to);

        [DllImport("libc")]
        private static extern int link(string from, string to);

        [DllImport("kernel32")]
        private static extern ulong GetTickCount64();

        [DllImport("kernel32")]
        private static extern uint GetCurrentProcessId();

        [DllImport("kernel32", SetLastError = true)]
        private static extern IntPtr OpenProcess(uint access, bool isInherited, uint process);

        [DllImport("kernel32")]
        private static extern bool GetExitCodeProcess(IntPtr process, out uint status);

        [DllImport("kernel32")]
        private static extern bool CloseHandle(IntPtr handle);

        [DllImport("kernel32", CharSet = CharSet.Unicode, EntryPoint = "MoveFileExW")]
        private static extern bool MoveFileEx(string from, string to, uint flags);

        [DllImport("kernel32", CharSet = CharSet.Unicode, EntryPoint = "CreateHardLinkW")]
        private static extern bool CreateHardLink(string path, string existing, IntPtr security);

        [DllImport("advapi32", CharSet = CharSet.Unicode, EntryPoint = "RegGetValueW")]
        private static extern int RegGetValue(
            UIntPtr root, string key, string name, uint flags, IntPtr type, StringBuilder text, ref uint size);

        [DllImport("/System/Library/Frameworks/IOKit.framework/IOKit")]
        private static extern IntPtr IOServiceMatching(string name);

        [DllImport("/System/Library/Frameworks/IOKit.framework/IOKit")]
        private static extern uint IOServiceGetMatchingService(uint port, IntPtr matching);

        [DllImport("/System/Library/Frameworks/IOKit.framework/IOKit")]
        private static extern IntPtr IORegistryEntryCreateCFProperty(uint entry, IntPtr name, IntPtr allocator, uint options);

        [DllImport("/System/Library/Frameworks/IOKit.framework/IOKit")]
        private static extern int IOObjectRelease(uint entry);

        [DllImport("/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation")]
        private static extern IntPtr CFStringCreateWithCString(IntPtr allocator, string text, uint encoding);

        [DllImport("/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation")]
        private static extern byte CFStringGetCString(IntPtr text, byte[] buffer, IntPtr size, uint encoding);

        [DllImport("/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation")]
        private static extern void CFRelease(IntPtr value);
    }
}
