# Joins the files of the page: OUT/page_js.txt, OUT/page_css.txt and OUT/policy.txt, the Content-Security-Policy
# that lets a browser run exactly these bytes:
#     cmake -DOUT=build/report -DDIR=src/report -P src/report/join.cmake
cmake_minimum_required(VERSION 3.21)

set(scripts base words scale data state chart diff space mappings tree who fleet host page)
set(digits ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)

# The hash of a text, in base64, as a policy names it.
function(hash_of text out)
    string(SHA256 hex "${text}")
    set(base64 "")
    foreach(at RANGE 0 60 6) # 64 digits: 3 bytes, or at the end 2, are 4 digits
        string(SUBSTRING "${hex}00" ${at} 6 three)
        math(EXPR bits "0x${three}")
        foreach(shift 18 12 6 0)
            math(EXPR digit "${bits} >> ${shift} & 63")
            string(SUBSTRING "${digits}" ${digit} 1 digit)
            string(APPEND base64 "${digit}")
        endforeach()
    endforeach()
    string(SUBSTRING "${base64}" 0 43 base64)
    set(${out} "sha256-${base64}=" PARENT_SCOPE)
endfunction()

# Keeps semicolons and brackets: a text is no list.
set(script "")
foreach(name IN LISTS scripts)
    if(EXISTS "${DIR}/${name}.js")
        file(READ "${DIR}/${name}.js" text)
        string(APPEND script "${text}\n")
    endif()
endforeach()
set(script "'use strict';\n(function () {\n${script}})();\n")
file(READ "${DIR}/page.css" style)
hash_of("${script}" script_hash)
hash_of("${style}" style_hash)
file(WRITE "${OUT}/page_js.txt" "${script}")
file(WRITE "${OUT}/page_css.txt" "${style}")
file(WRITE "${OUT}/policy.txt" "default-src 'none'; script-src '${script_hash}'; style-src '${style_hash}'; \
img-src 'none'; connect-src 'none'; base-uri 'none'; form-action 'none'")
