using System.Collections.Generic;

namespace Latchkey
{
    /// <summary>The form of good answers. An answer of any other form did not come from the service.</summary>
    internal static class Replies
    {
        private const string Activation =
            "token:t expiresAt:@ machinesUsed:# maxMachines:# variant:t licenseExpiresAt:@?";

        /// <summary>Fields of every endpoint, which another server with the same protocol omits.</summary>
        private const string Later = "licenseType:t~ sessionExpiresAt:@~";

        /// <summary>
        /// The fields by their types: <c>t</c> a text that is not empty, <c>#</c> a whole number and <c>@</c> a time;
        /// <c>?</c> may be null, and <c>~</c> may be absent.
        /// </summary>
        private static readonly Dictionary<string, string> Form = new Dictionary<string, string>
        {
            { "/activate", Activation },
            { "/startTrial", Activation + " licenseKey:t" },
            {
                "/validate",
                "expiresAt:@ productId:t variant:t licenseExpiresAt:@? daysRemaining:#? newToken:t~ licenseKey:t~ "
                + "sessionToken:t~"
            },
            { "/heartbeat", "expiresAt:@" },
            { "/consume", "meter:t used:# limit:# remaining:#? resetsAt:@?" },
            { "/deactivate", "machinesUsed:# maxMachines:#" },
            { "/verify", "machinesUsed:# maxMachines:#" },
            { "/issueLicenseFile", "licenseFile:t" },
        };

        /// <summary>The field by which an endpoint reports success.</summary>
        internal static string FlagOf(string endpoint)
        {
            return endpoint == "/validate" || endpoint == "/verify" ? "valid" : "success";
        }

        internal static bool IsGood(string endpoint, TransportAnswer answer, Fields body)
        {
            if (answer.Status != 200 || body == null || !true.Equals(body.Get(FlagOf(endpoint)))) return false;
            foreach (var field in (Form[endpoint] + " " + Later).Split(' '))
            {
                var parts = field.Split(':');
                var isPresent = body.TryGetValue(parts[0], out var value);
                if (isPresent ? !HasType(value, parts[1]) : !IsMarked(parts[1], '~')) return false;
            }
            return true;
        }

        private static bool HasType(object value, string type)
        {
            if (value == null) return IsMarked(type, '?');
            if (type[0] == 't') return value is string && (string)value != "";
            return type[0] == '#' ? Json.Whole(value) != null : FieldReader.IsIso(value);
        }

        private static bool IsMarked(string type, char mark)
        {
            return type[type.Length - 1] == mark;
        }
    }
}
