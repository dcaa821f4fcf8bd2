"""A browser without a window: opens a URL, follows where it leads, and prints the last page.

python browser.py URL
"""

import http.cookiejar
import sys
import urllib.error
import urllib.request

cookies = http.cookiejar.CookieJar(http.cookiejar.DefaultCookiePolicy(strict_ns_domain=0))
opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(cookies))
try:
    print(opener.open(sys.argv[1], timeout=20).read().decode(), end="")
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode(), end="")
